/**
 * A strict decoder of UTF-8: invalid text is refused, or repaired in the Kubernetes dialect (CM-4).
 *
 * @module
 */

import { Buffer, isUtf8 } from "node:buffer";
import { DecodeError } from "./decode-error.ts";

/** Whether bytes are invalid UTF-8, as are overlong forms, surrogates and values beyond U+10FFFF. */
export function containsInvalidUtf8(bytes: Uint8Array): boolean {
  return !isUtf8(bytes);
}

/**
 * Decodes UTF-8 and keeps a byte order mark.
 *
 * @param repair whether each invalid byte becomes U+FFFD instead of a DecodeError
 */
export function decodeUtf8(bytes: Uint8Array, repair = false): string {
  if (isUtf8(bytes)) return utf8Text(bytes);
  if (repair) return repaired(bytes);
  throw new DecodeError("invalidUtf8", `Expected UTF-8 text, found an invalid byte at offset ${invalidOffset(bytes)}`);
}

/** Decodes bytes that are known to be UTF-8, such as those that this program wrote. */
export const utf8Text = (bytes: Uint8Array): string => view(bytes).toString("utf8");

const view = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Replaces each invalid byte, as Go does; the WHATWG decoder replaces each truncated sequence once. */
function repaired(bytes: Uint8Array): string {
  const source = view(bytes);
  let text = "";
  let good = 0;
  for (let at = 0; at < bytes.length;) {
    const size = characterSize(bytes, at);
    if (size === 0) {
      text += source.toString("utf8", good, at) + "\ufffd";
      good = at + 1;
    }
    at += size || 1;
  }
  return text + source.toString("utf8", good);
}

function invalidOffset(bytes: Uint8Array): number {
  let at = 0;
  for (let size = 1; at < bytes.length && size > 0; at += size) size = characterSize(bytes, at);
  return at;
}

/** The length of the character at an offset, 0 for an invalid one (table 3-7 of the Unicode standard). */
function characterSize(bytes: Uint8Array, at: number): number {
  const first = bytes[at]!;
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  const second = bytes[at + 1] ?? 0;
  if (second < low || second > high) return 0;
  const size = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  for (let i = 2; i < size; i++) if (((bytes[at + i] ?? 0) & 0xc0) !== 0x80) return 0;
  return size;
}
