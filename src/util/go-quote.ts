/**
 * Texts in quotes as Go's `strconv.Quote` writes them.
 *
 * @module
 */

const SHORT: Readonly<Record<string, string>> = {
  "\u0007": String.raw`\a`,
  "\b": String.raw`\b`,
  "\f": String.raw`\f`,
  "\n": String.raw`\n`,
  "\r": String.raw`\r`,
  "\t": String.raw`\t`,
  "\v": String.raw`\v`,
  "\\": String.raw`\\`,
  '"': String.raw`\"`,
};

/** Quotes, backslashes and characters that Go does not print (`unicode.IsPrint`). */
const HIDDEN = /["\\]|[^ \p{L}\p{M}\p{N}\p{P}\p{S}]/gu;

/** Returns a text in double quotes with its hidden characters escaped; a lone surrogate becomes U+FFFD, as in UTF-8. */
export const goQuoted = (text: string): string => `"${text.toWellFormed().replaceAll(HIDDEN, escapeOf)}"`;

function escapeOf(char: string): string {
  const short = SHORT[char];
  if (short !== undefined) return short;
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x80) return String.raw`\x${code.toString(16).padStart(2, "0")}`;
  if (code < 0x10000) return String.raw`\u${code.toString(16).padStart(4, "0")}`;
  return String.raw`\U${code.toString(16).padStart(8, "0")}`;
}

/** In a text with one character for each byte: a character of UTF-8, or an invalid byte. */
const CHARACTER =
  /[^\u0080-\u00ff]|[\u00c2-\u00df][\u0080-\u00bf]|[\u00e0-\u00ef][\u0080-\u00bf]{2}|[\u00f0-\u00f4][\u0080-\u00bf]{3}|[\u0080-\u00ff]/g;

/** Quotes bytes that may be invalid UTF-8, given as a text with one character for each byte. */
export const goQuotedBytes = (bytes: string): string =>
  `"${bytes.replaceAll(CHARACTER, (part) => {
    const text = Buffer.from(part, "latin1").toString();
    if (!text.includes("\ufffd") || part === "\u00ef\u00bf\u00bd") return text.replaceAll(HIDDEN, escapeOf);
    return part.replaceAll(/[^]/g, (byte) => String.raw`\x${byte.charCodeAt(0).toString(16)}`);
  })}"`;
