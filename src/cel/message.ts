/**
 * What a message of Protobuf is to expressions.
 *
 * @module
 */
import type { Type } from "./types.ts";
import type { Value } from "./values.ts";

/** The fields that are set, in the order of the expression. */
export type Fields = ReadonlyMap<string, Value>;

/** A message: its fields with their types, in the order of their numbers, which begin at one, and what it becomes. */
export interface Message {
  readonly name: string;
  /** The type of what it becomes. */
  readonly type: Type;
  readonly fields: ReadonlyMap<string, Type>;
  /** What holds the value of a wrapper, as a real server's language calls it. */
  readonly holder?: string;
  /** What fields become; `unknown` is what else was in the bytes that they were read from. */
  make(fields: Fields, unknown?: Uint8Array): Value;
}
