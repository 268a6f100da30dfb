import type { ApiObject } from "../../schema/definition.ts";
import type { Value } from "../../value/value.ts";

/** What is kept of the objects that a request sends and is answered with, by whoever writes it down. */
export interface Witness {
  /** The body has been read, where there is one, and nothing has been done; it is changed later. */
  read(verb: string, body: Value | undefined): void;
  /** The object of a create or an update, decoded and with its defaults; it is changed later. */
  sent(object: ApiObject): void;
  /** The request has left the filters, answered or not. */
  left(): void;
  /** Undefined where answers are not kept. */
  readonly answer: AnswerWitness | undefined;
}

/** What is kept of an answer, as JSON and before it takes the form that the client wants. */
export interface AnswerWitness {
  /** An object or a table, in one piece or several. */
  bytes(json: Uint8Array | readonly Uint8Array[]): void;
  value(value: unknown): void;
  /** A list without its items, which follow and are its `member`. */
  list(head: string, member: string): void;
  item(json: Uint8Array): void;
}
