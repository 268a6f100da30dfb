/**
 * JSON texts that keep integers beyond 2^53 in storage, without cost for texts that have none.
 *
 * A text with such an integer ends with a space, which JSON ignores. It tells the reader to check the digits of every number,
 * which is slower than `JSON.parse` alone.
 *
 * @module
 */
import { JsonNumber, type Value } from "./value.ts";

const MARK = " ";

/** Returns the JSON text of a value, marked when it has a {@link JsonNumber} beyond the doubles. */
export function exactText(value: unknown): string {
  const before = JsonNumber.printed;
  const text = JSON.stringify(value);
  return JsonNumber.printed === before ? text : text + MARK;
}

/** Returns the value of a text of {@link exactText}; integers beyond the doubles are {@link JsonNumber}s. */
export function parseExactText(text: string): Value {
  return text.endsWith(MARK) ? (reviveExactly(text, keepDigits) as Value) : (JSON.parse(text) as Value);
}

/** `JSON.parse` with the source of numbers for revivers, which the type library does not have yet. */
const reviveExactly = JSON.parse as (text: string, reviver: Reviver) => unknown;

type Reviver = (this: unknown, key: string, value: unknown, context: { readonly source?: string }) => unknown;

const keepDigits: Reviver = (_key, value, { source }) => {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  return source !== undefined && /^-?\d+$/.test(source) ? new JsonNumber(source) : value;
};
