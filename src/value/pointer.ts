/**
 * JSON pointers (RFC 6901).
 *
 * @module
 */

import { DecodeError } from "./decode-error.ts";

/** Reads one token of a pointer: `~1` is a slash, `~0` a tilde. */
export function unescapeToken(token: string): string {
  return token.includes("~") ? token.replaceAll("~1", "/").replaceAll("~0", "~") : token;
}

/** Writes one token of a pointer. */
export function escapeToken(token: string): string {
  return token.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** The tokens of a pointer; none for the whole document. @throws DecodeError unless it is empty or begins with a slash */
export function parsePointer(pointer: string): string[] {
  if (pointer === "") return [];
  if (!pointer.startsWith("/"))
    throw new DecodeError("malformed", `Expected a JSON pointer to begin with '/', found ${JSON.stringify(pointer)}`);
  return pointer.slice(1).split("/").map(unescapeToken);
}

/** The pointer of some tokens, the inverse of {@link parsePointer}. */
export function formatPointer(tokens: readonly (string | number)[]): string {
  return tokens.map((token) => `/${escapeToken(String(token))}`).join("");
}
