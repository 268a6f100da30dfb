/**
 * The types of services as their callers and as their makers see them; nothing of it is there at run time.
 *
 * @module
 */
import type { DescMessage, DescMethodUnary, DescService, MessageInitShape, MessageShape } from "@bufbuild/protobuf";

/** How a call is made. */
export interface CallOptions {
  /** Milliseconds after which the call is given up, the wait for its turn included; that of its channel by default. */
  readonly deadlineMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A service as a caller sees it: a function for each method with one answer, which rejects with DriverError. */
export type Calls<S extends DescService> = {
  readonly [M in keyof S["method"] as S["method"][M] extends DescMethodUnary ? M : never]: Call<S["method"][M]>;
};

type Call<M> =
  M extends DescMethodUnary<infer I extends DescMessage, infer O extends DescMessage>
    ? (request: MessageInitShape<I>, options?: CallOptions) => Promise<MessageShape<O>>
    : never;

/** What a method is told beside its request. */
export interface CallContext {
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/**
 * A service as its maker sees it: a function for each method that there is; others answer `Unimplemented`. An error that
 * is thrown reaches the caller with its code if it is a DriverError, else as `Internal`.
 */
export type Implementation<S extends DescService> = {
  readonly [M in keyof S["method"] as S["method"][M] extends DescMethodUnary ? M : never]?: Method<S["method"][M]>;
};

type Method<M> =
  M extends DescMethodUnary<infer I extends DescMessage, infer O extends DescMessage>
    ? (request: MessageShape<I>, context: CallContext) => Promise<MessageInitShape<O>>
    : never;
