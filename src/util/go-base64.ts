/**
 * Base64 as Go's `base64.URLEncoding` reads it: with `-` and `_`, with its padding, and with line breaks anywhere.
 *
 * @module
 */

const PAD = "=";

/** The bytes of a text, or the place in its bytes at which it is none. */
export function parseGoBase64Url(text: string): Uint8Array | number {
  const wrong = wrongPlace(Buffer.from(text).toString("latin1"));
  return wrong ?? new Uint8Array(Buffer.from(text, "base64url"));
}

/** @param text a character for each byte */
function wrongPlace(text: string): number | undefined {
  const isBreak = (at: number): boolean => text[at] === "\n" || text[at] === "\r";
  // How many of the four characters that are three bytes are there.
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    if (isBreak(at)) continue;
    const char = text[at]!;
    if (/[\w-]/.test(char)) count = (count + 1) % 4;
    else if (char === PAD && count >= 2) return wrongAfterPad(text, at, count, isBreak);
    else return at;
  }
  return count === 0 ? undefined : text.length - count;
}

/** Behind the first `=` stands another one where two characters are in front of it, and nothing more. */
function wrongAfterPad(text: string, pad: number, count: number, isBreak: (at: number) => boolean): number | undefined {
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
