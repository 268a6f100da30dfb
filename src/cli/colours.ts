/**
 * Colours on terminals, and only there.
 *
 * @module
 */

/** Paints a text; a painter without colours gives it back as it is. */
export type Painter = (colour: Colour, text: string) => string;

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34, magenta: 35, cyan: 36 } as const;

/** What a text can be painted with. */
export type Colour = keyof typeof CODES;

/** Colours to tell managers apart by, in the order in which they are given out. */
export const MANAGER_COLOURS: readonly Colour[] = ["cyan", "yellow", "green", "magenta", "blue", "red"];

/**
 * Whether to paint: on a terminal that is not dumb, unless `NO_COLOR` says otherwise (no-color.org); `FORCE_COLOR`
 * paints also into files and pipes.
 */
export function wantsColour(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): boolean {
  if (env["NO_COLOR"]) return false;
  if (env["FORCE_COLOR"] && env["FORCE_COLOR"] !== "0") return true;
  return isTerminal && env["TERM"] !== "dumb";
}

/** A painter that paints, or does not. */
export const painter = (paints: boolean): Painter =>
  paints ? (colour, text) => `\u001b[${CODES[colour]}m${text}\u001b[0m` : (_colour, text) => text;

/** A text without characters that would move the cursor or change the terminal: they come from other people. */
export const printable = (text: string): string => text.replaceAll(/\p{Cc}/gu, "\uFFFD");
