/**
 * One pass over the bytes of a JSON text before it is parsed.
 *
 * It is no validator. It checks the depth, since a few megabytes of `[` block `JSON.parse` for seconds, and finds what
 * `JSON.parse` would hide: duplicate members, and numbers that it would round. Up to the first syntax error it recognises
 * strings, numbers and brackets exactly as a parser does; the rest does not matter, because the parser stops there.
 *
 * @module
 */

import { KeyTable } from "./key-table.ts";

/**
 * The result of a scan.
 *
 * - `plain`: `JSON.parse` loses nothing of this text, if it is valid.
 * - `doubtful`: there may be a duplicate member, or a number or an escape that `JSON.parse` does not keep.
 * - `tooDeep`, `tooLarge`: beyond the depth, or {@link MAX_MEMBERS}, {@link MAX_SIDE_BY_SIDE} or {@link MAX_CONTAINERS};
 *   the rest was not scanned.
 */
export type JsonScan = "plain" | "doubtful" | "tooDeep" | "tooLarge";

/** How many members the objects of a text may have together. V8 takes some 25 ms to build an object with so many keys. */
export const MAX_MEMBERS = 65_536;

/** How many members one object, and how many elements one list may have. */
export const MAX_SIDE_BY_SIDE = 32_768;

/** How many objects, arrays and numbers of unusual form a text may have together, for the same reason. */
export const MAX_CONTAINERS = 262_144;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const LOWER_E = 0x65;

/** The keys of the current text; a scan never pauses. */
const keys = new KeyTable();

/** Scans a JSON text; `depth` is the largest depth of nested containers. */
export function scanJson(bytes: Uint8Array, depth: number): JsonScan {
  const end = bytes.length;
  keys.clear();
  const objects = [0]; // the number of the container that is open at each depth
  const commas = [0]; // how many it has had
  let containers = 0;
  let numbers = 0;
  let open = 0;
  let doubtful = false;
  let stringStart = 0;
  let stringEnd = 0;
  let escaped = false;
  for (let at = 0; at < end; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE) {
      stringStart = at + 1;
      escaped = false;
      for (at++; at < end; at++) {
        const inside = bytes[at]!;
        if (inside === QUOTE) break;
        if (inside !== BACKSLASH) continue;
        escaped = true;
        const surrogates = surrogateEscape(bytes, ++at);
        if (surrogates < 0) doubtful = true;
        else at += surrogates;
      }
      stringEnd = at;
    } else if (byte === COLON) {
      if (escaped || keys.add(objects[open]!, bytes, stringStart, stringEnd)) doubtful = true;
      if (keys.count > MAX_MEMBERS) return "tooLarge";
    } else if (byte === 0x7b || byte === 0x5b) {
      if (++open > depth) return "tooDeep";
      objects[open] = ++containers;
      commas[open] = 0;
      if (containers + numbers > MAX_CONTAINERS) return "tooLarge";
    } else if (byte === COMMA) {
      if (++commas[open]! >= MAX_SIDE_BY_SIDE) return "tooLarge";
    } else if (byte === 0x7d || byte === 0x5d) {
      if (open > 0) open--;
    } else if ((byte >= ZERO && byte <= NINE) || byte === MINUS) {
      const last = numberEnd(bytes, at);
      if (isDoubtfulNumber(bytes, at, last)) {
        doubtful = true;
        if (containers + ++numbers > MAX_CONTAINERS) return "tooLarge";
      }
      at = last - 1;
    }
  }
  return doubtful ? "doubtful" : "plain";
}

function numberEnd(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  for (; at < bytes.length; at++) {
    const byte = bytes[at]!;
    const part =
      (byte >= ZERO && byte <= NINE) || byte === DOT || byte === MINUS || byte === 0x2b || (byte | 0x20) === LOWER_E;
    if (!part) break;
  }
  return at;
}

/** A number with 16 digits may be beyond 2^53; one with an exponent or a fraction of zeros may be an integer. */
function isDoubtfulNumber(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start >= 16) return true;
  let dot = false;
  let fraction = false;
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    if ((byte | 0x20) === LOWER_E) return true;
    if (byte === DOT) dot = true;
    else if (dot && byte !== ZERO) fraction = true;
  }
  return dot && !fraction;
}

/** For the escape whose letter is at `at`: -1 for a lone surrogate, the number of bytes to skip for a pair, 0 for others. */
function surrogateEscape(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== 0x75 || (bytes[at + 1]! | 0x20) !== 0x64) return 0;
  const nibble = hexDigit(bytes[at + 2]);
  if (nibble < 8) return 0;
  if (nibble >= 0xc) return -1;
  const low = bytes[at + 5] === BACKSLASH && bytes[at + 6] === 0x75 && (bytes[at + 7]! | 0x20) === 0x64;
  return low && hexDigit(bytes[at + 8]) >= 0xc ? 10 : -1;
}

function hexDigit(byte = 0): number {
  if (byte >= ZERO && byte <= NINE) return byte - ZERO;
  const letter = (byte | 0x20) - 0x61;
  return letter >= 0 && letter < 6 ? letter + 10 : -1;
}
