/**
 * Base64 as Go's `base64.URLEncoding` reads it: with `-` and `_`, with padding, and with line breaks anywhere.
 *
 * @module
 */

const PAD = "=";

/** Returns the bytes of a text, or the offset of the first invalid byte of the text. */
export function parseGoBase64Url(text: string): Uint8Array | number {
  const invalid = invalidOffset(Buffer.from(text).toString("latin1"));
  return invalid ?? new Uint8Array(Buffer.from(text, "base64url"));
}

/** @param text one character for each byte */
function invalidOffset(text: string): number | undefined {
  const isBreak = (at: number): boolean => text[at] === "\n" || text[at] === "\r";
  // The number of characters in the current group of four, which are three bytes.
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    if (isBreak(at)) continue;
    const char = text.charAt(at);
    if (/[\w-]/.test(char)) count = (count + 1) % 4;
    else if (char === PAD && count >= 2) return invalidAfterPad(text, at, count, isBreak);
    else return at;
  }
  return count === 0 ? undefined : text.length - count;
}

/** A second `=` follows the first one in a group of two characters; then the text ends. */
function invalidAfterPad(
  text: string,
  pad: number,
  count: number,
  isBreak: (at: number) => boolean,
): number | undefined {
  let at = pad + 1;
  const skipBreaks = (): void => {
    while (isBreak(at)) at++;
  };
  if (count === 2) {
    skipBreaks();
    if (at === text.length) return at;
    if (text[at] !== PAD) return at - 1;
    at++;
  }
  skipBreaks();
  return at < text.length ? at : undefined;
}
