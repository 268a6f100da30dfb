/** A colour or style of a terminal. */
export type Colour = "bold" | "dim" | "red" | "green" | "yellow" | "blue" | "magenta" | "cyan";

/** Paints a text; a painter without colours returns it unchanged. */
export type Painter = (colour: Colour, text: string) => string;

const CODES: Readonly<Record<Colour, number>> = {
  bold: 1,
  dim: 2,
  red: 31,
  green: 32,
  yellow: 33,
  blue: 34,
  magenta: 35,
  cyan: 36,
};

/** Returns a painter with or without colours. */
export const painter = (paints: boolean): Painter =>
  paints ? (colour, text) => `\u001b[${CODES[colour]}m${text}\u001b[0m` : (_colour, text) => text;

/** Control characters, and those that change the direction of the following text. */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu;

/** Replaces control characters, which could move the cursor or change the terminal: texts may come from other users. */
export const printable = (text: string): string => text.replaceAll(UNPRINTABLE, "\uFFFD");

/** Does the same for a text of several lines. */
export const printableLines = (text: string): string =>
  text.replaceAll(UNPRINTABLE, (character) => (character === "\n" || character === "\t" ? character : "\uFFFD"));

/** Returns equal JSON that is printable: characters that control a terminal are escaped. */
export const printableJson = (json: string): string =>
  json.replaceAll(UNPRINTABLE, (character) =>
    character === "\n" ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
