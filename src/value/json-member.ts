/**
 * Finds values and members of objects in JSON text that nobody has parsed.
 *
 * @module
 */

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
/** A brace that opens; a bracket that opens is the same once its bit {@link OTHER} is set. */
const OPENS = 0x7b;
const CLOSES = 0x7d;
const OTHER = 0x20;

/** A part of some bytes: from the first of them to before `to`. */
export interface Place {
  readonly from: number;
  readonly to: number;
}

/**
 * Where the value of a member lies; undefined where the object has no such member. It takes a time in proportion to the members
 * before it.
 *
 * @param bytes valid JSON text in UTF-8 without white space between its tokens
 * @param members where the members of the object begin, right after its `{`
 * @param key the key with its quotation marks, as it stands in the text
 */
export function placeOfMember(bytes: Uint8Array, members: number, key: Uint8Array): Place | undefined {
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

/** Where the JSON value ends that begins at `from`: the first byte behind it. */
export function endOfValue(bytes: Uint8Array, from: number): number {
  let depth = 0;
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE) at = endOfString(bytes, at) - 1;
    else if ((byte | OTHER) === OPENS) depth++;
    else if ((byte | OTHER) === CLOSES) {
      // A number or a word ends before the end of what it is in.
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
