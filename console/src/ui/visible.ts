/** Characters that are invisible, or that change the order of others: controls, formats, separators of lines, fillers. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** A text of more characters is a text to open, not to show in a line. */
const MOST = 10_000;

/** A text in which every character is seen: others stand as `\u{202e}`. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

/** The same, of a text of any length: of a long one the first 10,000 characters and how many there are. */
export function shortened(text: string): string {
  if (text.length <= MOST) return visible(text);
  // A pair of surrogates is one character.
  const end = /[\uD800-\uDBFF]/.test(text.charAt(MOST - 1)) ? MOST - 1 : MOST;
  return `${visible(text.slice(0, end))}… (${text.length} characters)`;
}
