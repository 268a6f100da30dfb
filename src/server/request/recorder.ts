import type { Decision } from "../../auth/contract.ts";
import type { ApiObject } from "../../schema/definition.ts";
import type { Value } from "../../value/value.ts";

/** A part of a request that may take long, under the name that audit has for it (AUDIT-19). */
export type SlowPart = "authentication" | "apf-queue-wait" | "authorization" | "etcd" | "response-write";

/** Records one request for audit: the objects that it sends and gets, what was decided, and its response before that leaves. */
export interface Recorder {
  /** The body has been read and nothing has been done; it is changed later. */
  read(verb: string, body: Value | undefined): void;
  /** The object of a create or an update, decoded and with its defaults; it is changed later. */
  sent(object: ApiObject): void;
  /** Adds an annotation; the first of a key stays. Events of the level Metadata have none of the level `Request`. */
  note(key: string, value: string, level?: "Request"): void;
  /** Whether the user may do it. */
  decided(decision: Decision): void;
  /** The time since `since`, by the steady counter, was spent on a part. */
  spend(part: SlowPart, since: number): void;
  /** The time until a promise is done, well or not, is spent on a part. */
  spendWhile(part: SlowPart, done: Promise<unknown>): void;
  /** Bytes that are there are about to be sent; they wait for the promise. */
  answering(code: number): Promise<unknown> | undefined;
  /** The record of a response could not be made; the request is broken off. */
  failed(error: unknown): void;
  /** A response in pieces is about to begin. */
  streaming(code: number): void;
  /** A response in pieces is over. */
  streamed(): void;
  /** The request has left the filters, answered or not. */
  left(): void;
  /** Undefined where responses are not recorded. */
  readonly response: ResponseRecorder | undefined;
}

/** Records a response as JSON, before it takes the form that the client wants. */
export interface ResponseRecorder {
  /** An object or a table, in one piece or several. */
  bytes(json: Uint8Array | readonly Uint8Array[]): void;
  value(value: unknown): void;
  /** A list without its items, which follow and are its `member`. */
  list(head: string, member: string): void;
  item(json: Uint8Array): void;
}
