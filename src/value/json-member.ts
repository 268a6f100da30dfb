/**
 * Finds a member of an object in JSON text that nobody has parsed.
 *
 * @module
 */

const [QUOTE, BACKSLASH, COMMA, OPENS, CLOSES, OPENS_LIST, CLOSES_LIST] = Buffer.from(
  '"\\,{}[]',
  "latin1",
) as unknown as [...[number, number, number, number, number, number, number]];

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
    const from = afterString(bytes, at) + 1;
    const to = afterValue(bytes, from);
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

function afterString(bytes: Uint8Array, from: number): number {
  let at = from + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at + 1;
}

function afterValue(bytes: Uint8Array, from: number): number {
  let depth = 0;
  let at = from;
  while (at < bytes.length) {
    const byte = bytes[at]!;
    if (byte === QUOTE) at = afterString(bytes, at);
    else if (byte === OPENS || byte === OPENS_LIST) {
      depth++;
      at++;
    } else if (byte === CLOSES || byte === CLOSES_LIST) {
      // Of a number or a word that is the last member, it is the end.
      if (depth === 0) return at;
      depth--;
      at++;
    } else if (byte === COMMA && depth === 0) return at;
    else at++;
    if (depth === 0 && (byte === QUOTE || byte === CLOSES || byte === CLOSES_LIST)) return at;
  }
  return at;
}
