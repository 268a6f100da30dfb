/**
 * JSON texts that keep integers beyond 2^53 through storage, at no cost for those that have none.
 *
 * A text with such an integer ends with a blank. JSON allows it and nobody sees it; it tells the reader to look at the
 * digits of every number, which is slow, instead of `JSON.parse` alone.
 *
 * @module
 */
import { JsonNumber, type Value } from "./value.ts";

const MARK = " ";

/** The JSON text of a value, marked when it has a {@link JsonNumber} that no double holds. */
export function exactText(value: unknown): string {
  const before = JsonNumber.printed;
  const text = JSON.stringify(value);
  return JsonNumber.printed === before ? text : text + MARK;
}

/** The value of a text that {@link exactText} made; integers that no double holds are {@link JsonNumber}s. */
export function parseExactText(text: string): Value {
  return text.endsWith(MARK) ? (reviveExactly(text, keepDigits) as Value) : (JSON.parse(text) as Value);
}

/** `JSON.parse` of Node 22 and newer, which gives revivers the source of a number; the type library does not know it yet. */
const reviveExactly = JSON.parse as (text: string, reviver: Reviver) => unknown;

type Reviver = (this: unknown, key: string, value: unknown, context: { readonly source?: string }) => unknown;

const keepDigits: Reviver = (_key, value, { source }) => {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  return source !== undefined && /^-?\d+$/.test(source) ? new JsonNumber(source) : value;
};
