/**
 * JSON pointers (RFC 6901).
 *
 * @module
 */

import { DecodeError } from "./decode-error.ts";

/** Longer tokens are read in one pass, because each replacement takes much longer than one character. */
const MAX_SHORT_LENGTH = 256;

/** Unescapes a token of a pointer: `~1` is a slash, `~0` a tilde. */
export function unescapeToken(token: string): string {
  if (!token.includes("~")) return token;
  return token.length > MAX_SHORT_LENGTH ? unescapeLong(token) : token.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** How many UTF-16 units become a text in one call. */
const UNITS_A_CALL = 8192;
const TILDE = 0x7e;
const SLASH = 0x2f;
const ZERO = 0x30;
const ONE = 0x31;

function unescapeLong(token: string): string {
  const units = new Uint16Array(token.length);
  let length = 0;
  for (let at = 0; at < token.length; at++) {
    const unit = token.charCodeAt(at);
    const next = unit === TILDE ? token.charCodeAt(at + 1) : 0;
    if (next === ZERO || next === ONE) at++;
    units[length++] = next === ONE ? SLASH : unit;
  }
  let text = "";
  for (let from = 0; from < length; from += UNITS_A_CALL)
    text += String.fromCharCode(...units.subarray(from, Math.min(length, from + UNITS_A_CALL)));
  return text;
}

/** Escapes a token of a pointer. */
export function escapeToken(token: string): string {
  if (!token.includes("~") && !token.includes("/")) return token;
  return token.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** Returns the tokens of a pointer; none for the whole document. @throws DecodeError unless it is empty or begins with a slash */
export function parsePointer(pointer: string): string[] {
  if (pointer === "") return [];
  if (!pointer.startsWith("/"))
    throw new DecodeError("malformed", `Expected a JSON pointer to begin with '/', found ${JSON.stringify(pointer)}`);
  return pointer.slice(1).split("/").map(unescapeToken);
}

/** Returns the pointer of some tokens, the inverse of {@link parsePointer}. */
export function formatPointer(tokens: readonly (string | number)[]): string {
  return tokens.map((token) => `/${escapeToken(String(token))}`).join("");
}
