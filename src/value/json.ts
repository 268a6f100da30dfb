/**
 * A strict and bounded decoder of JSON bodies, which reports what `JSON.parse` hides.
 *
 * It scans the bytes once ({@link scanJson}). Where `JSON.parse` would lose nothing, it parses the text; where there may be a
 * duplicate member, or a number that would be rounded, the slow decoder of `json-exact.ts` does so.
 *
 * @module
 */

import type { Steps } from "../util/steps.ts";
import { DecodeError, DEFAULT_DEPTH, type Decoded } from "./decode-error.ts";
import { decodeExactly, type JsonOptions } from "./json-exact.ts";
import { MAX_CONTAINERS, MAX_MEMBERS, MAX_SIDE_BY_SIDE, scanJson } from "./json-scan.ts";
import { containsInvalidUtf8, decodeUtf8 } from "./utf8.ts";
import { isContainer, type Value } from "./value.ts";

export type { JsonOptions } from "./json-exact.ts";

/**
 * Decodes a JSON text.
 *
 * Numbers beyond a double and integers that are written as floats are {@link JsonNumber}s. An empty text is an error. It takes
 * linear time.
 *
 * @throws DecodeError with the position and the character there
 */
export function decodeJson(bytes: Uint8Array, options: JsonOptions = {}): Decoded {
  const plain = decodePlainJson(bytes, options);
  if (plain !== undefined) return { value: plain, duplicates: [] };
  return decodeExactly(decodeUtf8(bytes, options.replaceInvalidUtf8), options);
}

/** Decodes a JSON text of this program, whose size was checked when it was received. */
export function decodeOwnJson(bytes: Uint8Array): Value {
  const text = decodeUtf8(bytes);
  return scanJson(bytes, Infinity) === "plain" ? (JSON.parse(text) as Value) : decodeExactly(text, {}).value;
}

/**
 * Decodes a plain JSON text: no duplicate member, no number that needs a {@link JsonNumber}, no lone surrogate, no syntax
 * error. Undefined for any other text.
 *
 * @throws DecodeError for text that is too deep, has too many members or is no UTF-8
 */
export const decodePlainJson = (bytes: Uint8Array, options: JsonOptions = {}): Value | undefined =>
  isPlainJson(bytes, options) ? parsePlainJson(bytes) : undefined;

/**
 * Parses a text that `JSON.stringify` has made of doubles; undefined for one that {@link decodeJson} has to look at: it is long or
 * deep, has numbers that are no small integers or an escape of a surrogate, or was changed to invalid JSON.
 *
 * @param depth the largest depth of nested containers
 */
export function parseOwnJson(text: string, depth: number): Value | undefined {
  if (text.length > MAX_OWN_LENGTH || text.includes("\\ud")) return undefined;
  const value = parseText(text);
  return value !== undefined && isPlainValue(value, depth) ? value : undefined;
}

/** A text of this length has fewer members and containers than {@link scanJson} allows. */
const MAX_OWN_LENGTH = 65_536;
/** Integers below have at most 15 digits. */
const MAX_OWN_INTEGER = 1e15;

function isPlainValue(value: Value, depth: number): boolean {
  if (typeof value === "number") return Number.isInteger(value) && Math.abs(value) < MAX_OWN_INTEGER;
  if (!isContainer(value)) return true;
  if (depth <= 0) return false;
  if (Array.isArray(value)) {
    for (const element of value) if (!isPlainValue(element, depth - 1)) return false;
    return true;
  }
  for (const name in value) if (!isPlainValue(value[name]!, depth - 1)) return false;
  return true;
}

/** Decodes as {@link decodeJson} in steps, each of which takes a slice for a few megabytes. */
export function* decodeJsonSteps(bytes: Uint8Array, options: JsonOptions = {}): Steps<Decoded> {
  const plain = isPlainJson(bytes, options);
  yield;
  const value = plain ? parsePlainJson(bytes) : undefined;
  if (value !== undefined) return { value, duplicates: [] };
  yield;
  return decodeExactly(decodeUtf8(bytes, options.replaceInvalidUtf8), options);
}

/** Whether a text is plain, if it is JSON. @throws DecodeError as {@link decodePlainJson} */
export function isPlainJson(bytes: Uint8Array, options: JsonOptions): boolean {
  const depth = options.depth ?? DEFAULT_DEPTH;
  const scan = scanJson(bytes, depth);
  if (scan === "tooDeep") throw new DecodeError("tooDeep", `Expected values nested at most ${depth} deep, found more`);
  if (scan === "tooLarge")
    throw new DecodeError(
      "tooLarge",
      `Expected at most ${MAX_SIDE_BY_SIDE} members in one object or array, ${MAX_MEMBERS} of them and ${MAX_CONTAINERS} objects and arrays together, found more`,
    );
  // Invalid bytes that become U+FFFD can make different keys equal; the scan compares the bytes.
  return scan === "plain" && !(options.replaceInvalidUtf8 && containsInvalidUtf8(bytes));
}

/** Parses a plain text; undefined where it is no JSON. */
export function parsePlainJson(bytes: Uint8Array): Value | undefined {
  return parseText(decodeUtf8(bytes));
}

function parseText(text: string): Value | undefined {
  try {
    return JSON.parse(text) as Value;
  } catch {
    return undefined; // the exact decoder reports the error with its position
  }
}
