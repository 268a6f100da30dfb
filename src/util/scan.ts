/**
 * Helpers of parsers that read a text once.
 *
 * @module
 */

const ZERO = 48;
const NINE = 57;

/** Whether a UTF-16 code unit is an ASCII digit. */
export const isDigit = (code: number): boolean => code >= ZERO && code <= NINE;

/** Returns the index after the ASCII digits that begin at an index; that index where there are none. */
export function endOfDigits(text: string, from: number): number {
  let end = from;
  while (isDigit(text.charCodeAt(end))) end++;
  return end;
}

/** Returns a text without certain characters at its end. */
export function withoutTrailing(text: string, chars: string): string {
  let end = text.length;
  while (end > 0 && chars.includes(text.charAt(end - 1))) end--;
  return end === text.length ? text : text.slice(0, end);
}

/** Returns a text without the white space around it, by the definition of Unicode, as Go's `strings.TrimSpace`. */
export function trimSpace(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

/** White space beyond Latin 1. */
const WIDE_SPACES: ReadonlySet<number> = new Set([0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000]);

/** Whether a UTF-16 code unit is white space of Unicode. */
function isSpace(code: number): boolean {
  if (code < 0x1680) return code === 0x20 || (code >= 0x09 && code <= 0x0d) || code === 0x85 || code === 0xa0;
  return (code >= 0x2000 && code <= 0x200a) || WIDE_SPACES.has(code);
}
