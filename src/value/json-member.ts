/**
 * Finds values and members of objects in JSON text without parsing it.
 *
 * @module
 */

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
/** The bit that makes a brace of a bracket. */
const BRACE_BIT = 0x20;

/** A range of bytes: from its first one to before `to`. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the range of the value of a member; undefined where the object has no such member. It takes a time in proportion to
 * the members before it.
 *
 * @param bytes valid JSON text in UTF-8 without white space between its tokens
 * @param members the offset of the members of the object, right after its `{`
 * @param key the key with its quotation marks, as in the text
 */
export function memberRange(bytes: Uint8Array, members: number, key: Uint8Array): ByteRange | undefined {
  let at = members;
  while (bytes[at] === QUOTE) {
    const from = endOfString(bytes, at) + 1;
    const to = endOfValue(bytes, from);
    if (from - 1 - at === key.length && isAt(bytes, at, key)) return { from, to };
    if (bytes[to] !== COMMA) return undefined;
    at = to + 1;
  }
  return undefined;
}

function isAt(bytes: Uint8Array, at: number, key: Uint8Array): boolean {
  for (let i = 0; i < key.length; i++) if (bytes[at + i] !== key[i]) return false;
  return true;
}

/** Returns the offset after the JSON value that begins at `from`. */
export function endOfValue(bytes: Uint8Array, from: number): number {
  let depth = 0;
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE) at = endOfString(bytes, at) - 1;
    else if ((byte | BRACE_BIT) === OPEN_BRACE) depth++;
    else if ((byte | BRACE_BIT) === CLOSE_BRACE) {
      // A number or a word ends before the end of its container.
      if (depth === 0) return at;
      depth--;
    } else if (byte === COMMA && depth === 0) return at;
    else continue;
    if (depth === 0) return at + 1;
  }
  return bytes.length;
}

function endOfString(bytes: Uint8Array, from: number): number {
  let at = from + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}
