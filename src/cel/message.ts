/**
 * Messages of Protobuf in expressions.
 *
 * @module
 */
import type { Type } from "./types.ts";
import type { Value } from "./values.ts";

/** The fields that are set, in the order of the expression. */
export type Fields = ReadonlyMap<string, Value>;

/** A message type: its fields in the order of their numbers, which begin at one, and the value that it becomes. */
export interface Message {
  readonly name: string;
  /** The type of the value. */
  readonly type: Type;
  readonly fields: ReadonlyMap<string, Type>;
  /** Whether it has fields of every other name, too, with the type dyn. */
  readonly isOpen?: true;
  /** The Go type of the value of a wrapper, for error messages. */
  readonly goType?: string;
  /** Makes the value; `unknown` are the bytes of unknown fields. */
  make(fields: Fields, unknown?: Uint8Array): Value;
}
