import type { Decision } from "../../auth/contract.ts";
import type { Status } from "../../meta/status.ts";
import type { ApiObject } from "../../schema/definition.ts";
import type { Value } from "../../value/value.ts";

/** A part of a request that may take long, under its name in audit (AUDIT-19). */
export type SlowPart = "authentication" | "apf-queue-wait" | "authorization" | "etcd" | "response-write";

/** Records one request for audit: the objects that it sends and gets, the decisions, and its response before that is sent. */
export interface Recorder {
  /** Called when the body has been read and the verb has not run; the body may be changed later. */
  read(verb: string, body: Value | undefined): void;
  /** Called with the object of a create or an update, decoded and with its defaults; it may be changed later. */
  sent(object: ApiObject): void;
  /** Adds an annotation; the first one of a key is kept. Events of the level Metadata contain none of the level `Request`. */
  note(key: string, value: string, level?: "Request"): void;
  /** Called with the decision whether the user may do it. */
  decided(decision: Decision): void;
  /** Adds the time since `since`, by the steady counter, to a part. */
  spend(part: SlowPart, since: number): void;
  /** Adds the time until a promise resolves or rejects to a part. */
  spendWhile(part: SlowPart, done: Promise<unknown>): void;
  /** Called before complete bytes are sent; they wait for the promise. */
  responding(code: number): Promise<unknown> | undefined;
  /** Called when the record of a response could not be made; the request is broken off. */
  failed(error: unknown): void;
  /** Called before a response in pieces begins. */
  streaming(code: number): void;
  /** Called when a response in pieces is over. */
  streamed(): void;
  /** Called when the request has left the filters, with a response or without one. */
  left(): void;
  /** Undefined where responses are not recorded. */
  readonly response: ResponseRecorder | undefined;
}

/** Records one write that is a part of a request. */
export interface PartRecorder extends Pick<Recorder, "note" | "read"> {
  /** Called before the write; false, now or later, where it must not be done. */
  received(): boolean | Promise<boolean>;
  /** Called when the write is over, with a Status where it was refused. */
  done(code: number, status: Status | undefined): void;
}

/** Records a response as JSON, before it is converted to the form for the client. */
export interface ResponseRecorder {
  /** An object or a table, in one piece or several. */
  bytes(json: Uint8Array | readonly Uint8Array[]): void;
  value(value: unknown): void;
  /** A list without its items, which follow and are its `member`. */
  list(head: string, member: string): void;
  item(json: Uint8Array): void;
}
