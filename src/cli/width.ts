/**
 * The width of a text on a terminal, and texts that are made to fit: a table whose lines wrap is none any more.
 *
 * @module
 */

/** Characters that take two places: those of East Asia in their wide form, and pictures. */
const WIDE =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}/u;
/** Characters that take none: they belong to the one before. */
const JOINED = /\p{M}|\u200D/u;

const placesOf = (character: string): number => (JOINED.test(character) ? 0 : WIDE.test(character) ? 2 : 1);

/** How many places of a terminal a text takes; it has no characters that move the cursor. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += placesOf(character);
  return width;
}

/** A text with spaces behind it until it takes so many places. */
export const padTo = (text: string, places: number): string => text + " ".repeat(Math.max(0, places - widthOf(text)));

/** A text that takes at most some places: of a longer one the beginning and `…`. */
export function fit(text: string, places: number): string {
  // No character takes more than two.
  if (text.length * 2 <= places || widthOf(text) <= places) return text;
  let kept = "";
  let left = places - 1;
  for (const character of text) {
    left -= placesOf(character);
    if (left < 0) break;
    kept += character;
  }
  return places < 1 ? "" : `${kept}…`;
}
