/**
 * The types of a service for its callers and for its implementation. There is nothing of them at run time.
 *
 * @module
 */
import type { DescMessage, DescMethodUnary, DescService, MessageInitShape, MessageShape } from "@bufbuild/protobuf";

/** Options of one call. */
export interface CallOptions {
  /** Milliseconds after which the call times out, the wait in the queue included. Default: that of the channel. */
  readonly deadlineMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A service for its callers: a function for each unary method, which rejects with DriverError. */
export type Calls<S extends DescService> = {
  readonly [M in keyof S["method"] as S["method"][M] extends DescMethodUnary ? M : never]: Call<S["method"][M]>;
};

type Call<M> =
  M extends DescMethodUnary<infer I extends DescMessage, infer O extends DescMessage>
    ? (request: MessageInitShape<I>, options?: CallOptions) => Promise<MessageShape<O>>
    : never;

/** What an implementation gets in addition to the request. */
export interface CallContext {
  /** Aborted when no caller waits for the response any more. */
  readonly signal: AbortSignal;
}

/**
 * The implementation of a service. A method that is left out responds `Unimplemented`. The caller gets the code of a
 * DriverError that a method throws, and `Internal` for every other error.
 */
export type Implementation<S extends DescService> = {
  readonly [M in keyof S["method"] as S["method"][M] extends DescMethodUnary ? M : never]?: Method<S["method"][M]>;
};

type Method<M> =
  M extends DescMethodUnary<infer I extends DescMessage, infer O extends DescMessage>
    ? (request: MessageShape<I>, context: CallContext) => Promise<MessageInitShape<O>>
    : never;
