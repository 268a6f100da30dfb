/**
 * Text as Go quotes it (`strconv.Quote`), which is how labels and annotations are written into files (PROJ-41).
 *
 * @module
 */

/** What is shown as it is: letters, marks, numbers, punctuation, symbols, and of all blanks only the plain one. */
// Not before somebody asks: the tables behind it are five megabytes of memory.
const prints = (char: string): boolean => /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(char);

const SHORT: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  '"': '\\"',
  "\\": "\\\\",
};

/** A text in quotes. Half of a surrogate pair, which no UTF-8 can hold, becomes U+FFFD. */
export function quoted(text: string): string {
  let out = '"';
  for (const character of text.toWellFormed())
    out += SHORT[character] ?? (prints(character) ? character : escaped(character));
  return `${out}"`;
}

function escaped(character: string): string {
  const code = character.codePointAt(0)!;
  const hex = (digits: number): string => code.toString(16).padStart(digits, "0");
  if (code < 0x20 || code === 0x7f) return `\\x${hex(2)}`;
  return code < 0x10000 ? `\\u${hex(4)}` : `\\U${hex(8)}`;
}
