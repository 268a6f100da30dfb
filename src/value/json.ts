/**
 * JSON bodies to values: strict, bounded, and telling what `JSON.parse` hides.
 *
 * The bytes are scanned once ({@link scanJson}). When the scan saw nothing that `JSON.parse` would lose, `JSON.parse` it
 * is; when it saw a member given twice, or a number that would be rounded, the slow decoder of `json-exact.ts`. So what
 * is common costs little, and what is rare is exact.
 *
 * @module
 */

import type { Steps } from "../util/steps.ts";
import { DecodeError, DEFAULT_DEPTH, type Decoded } from "./decode-error.ts";
import { decodeExactly, type JsonOptions } from "./json-exact.ts";
import { MAX_CONTAINERS, MAX_MEMBERS, MAX_SIDE_BY_SIDE, scanJson } from "./json-scan.ts";
import { containsInvalidUtf8, decodeUtf8 } from "./utf8.ts";
import type { Value } from "./value.ts";

export type { JsonOptions } from "./json-exact.ts";

/**
 * Decodes a JSON text.
 *
 * Numbers that a double does not hold and whole numbers written as floats are {@link JsonNumber}s. An empty text is an
 * error. Time is linear in the length; nothing deeper than the limit is parsed, nor more than
 * {@link MAX_MEMBERS} members.
 *
 * @throws DecodeError with the place and what was found there
 */
export function decodeJson(bytes: Uint8Array, options: JsonOptions = {}): Decoded {
  const plain = decodePlainJson(bytes, options);
  if (plain !== undefined) return { value: plain, duplicates: [] };
  return decodeExactly(decodeUtf8(bytes, options.replaceInvalidUtf8), options);
}

/** The value of a JSON text of our own, whose size was judged when it was taken. */
export function decodeOwnJson(bytes: Uint8Array): Value {
  const text = decodeUtf8(bytes);
  return scanJson(bytes, Infinity) === "plain" ? (JSON.parse(text) as Value) : decodeExactly(text, {}).value;
}

/**
 * Decodes a JSON text that holds nothing unusual: no repeated member, no number that needs a {@link JsonNumber}, no
 * half surrogate pair, no syntax error. Undefined for any other text.
 *
 * @throws DecodeError for text that is too deep, has too many members or is no UTF-8
 */
export const decodePlainJson = (bytes: Uint8Array, options: JsonOptions = {}): Value | undefined =>
  isPlain(bytes, options) ? parsed(bytes) : undefined;

/** {@link decodeJson} in steps: of a few megabytes each takes a turn. */
export function* decodeJsonSteps(bytes: Uint8Array, options: JsonOptions = {}): Steps<Decoded> {
  const plain = isPlain(bytes, options);
  yield;
  const value = plain ? parsed(bytes) : undefined;
  if (value !== undefined) return { value, duplicates: [] };
  yield;
  return decodeExactly(decodeUtf8(bytes, options.replaceInvalidUtf8), options);
}

/** Whether a text holds nothing unusual, if it is JSON. @throws DecodeError as {@link decodePlainJson} */
export function isPlain(bytes: Uint8Array, options: JsonOptions): boolean {
  const depth = options.depth ?? DEFAULT_DEPTH;
  const scan = scanJson(bytes, depth);
  if (scan === "tooDeep") throw new DecodeError("tooDeep", `Expected values nested at most ${depth} deep, found more`);
  if (scan === "tooLarge")
    throw new DecodeError(
      "tooLarge",
      `Expected at most ${MAX_SIDE_BY_SIDE} members side by side, ${MAX_MEMBERS} of them and ${MAX_CONTAINERS} objects and arrays together, found more`,
    );
  // Bad bytes that become U+FFFD can make equal keys of different ones; the scan saw the bytes only.
  return scan === "plain" && !(options.replaceInvalidUtf8 && containsInvalidUtf8(bytes));
}

/** The value of a text that holds nothing unusual; undefined where it is no JSON. */
export function parsed(bytes: Uint8Array): Value | undefined {
  const text = decodeUtf8(bytes);
  try {
    return JSON.parse(text) as Value;
  } catch {
    return undefined; // the exact decoder finds the same fault and says where
  }
}
