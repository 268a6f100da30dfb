/**
 * The width of texts on a terminal.
 *
 * @module
 */

/** Characters of two columns: wide East Asian characters, and emoji. */
const WIDE =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}/u;
/** Characters without a width, which combine with the one before. */
const COMBINING = /\p{M}|\u200D/u;

const charWidth = (character: string): number => (COMBINING.test(character) ? 0 : WIDE.test(character) ? 2 : 1);

/** Returns the width of a text without control characters. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += charWidth(character);
  return width;
}

/** Pads a text with spaces to a width. */
export const padTo = (text: string, width: number): string => text + " ".repeat(Math.max(0, width - widthOf(text)));

/** Cuts a text to a width, with `…` at the end. */
export function fit(text: string, width: number): string {
  // No character is wider than two columns.
  if (text.length * 2 <= width || widthOf(text) <= width) return text;
  let kept = "";
  let left = width - 1;
  for (const character of text) {
    left -= charWidth(character);
    if (left < 0) break;
    kept += character;
  }
  return width < 1 ? "" : `${kept}…`;
}
