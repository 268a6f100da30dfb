/**
 * JSON that loses nothing: an integer that no double holds is kept with all its digits.
 *
 * @module
 */
import { JsonNumber, type Value } from "../../../src/value/value.ts";

/** `JSON.parse` with the text of each scalar (ES2025). */
const parse = JSON.parse as (
  text: string,
  reviver?: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
) => unknown;

/** Sixteen digits where a number may begin, which texts, such as hashes, rarely have: an integer with fewer is a double. */
const LONG = /(?:^|[[:,\s-])\d{16}/;

/** Parses a text. @throws {SyntaxError} if it is no JSON */
export function parseExact(text: string): unknown {
  // A function that is called for each value costs some ten times the time, and few texts need it.
  if (!LONG.test(text)) return parse(text);
  return parse(text, (_key, value, { source }) => {
    if (typeof value !== "number" || Number.isSafeInteger(value) || source === undefined) return value;
    return /^-?\d+$/.test(source) ? new JsonNumber(source) : value;
  });
}

/** Parses a text whose shape the caller knows. @throws {SyntaxError} if it is no JSON */
export const parseValue = (text: string): Value => parseExact(text) as Value;
