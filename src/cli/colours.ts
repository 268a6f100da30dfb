import type { Colour, Painter } from "../util/terminal.ts";

export { type Colour, type Painter, printable } from "../util/terminal.ts";

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

/** The colours of managers, in the order of their use. */
export const MANAGER_COLOURS: readonly Colour[] = ["cyan", "yellow", "green", "magenta", "blue", "red"];

/**
 * Whether to use colours: on a terminal that is not dumb, unless `NO_COLOR` is set (no-color.org); with `FORCE_COLOR` also in
 * files and pipes.
 */
export function wantsColour(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): boolean {
  if (env["NO_COLOR"]) return false;
  if (env["FORCE_COLOR"] && env["FORCE_COLOR"] !== "0") return true;
  return isTerminal && env["TERM"] !== "dumb";
}

/** Returns a painter with or without colours. */
export const painter = (paints: boolean): Painter =>
  paints ? (colour, text) => `\u001b[${CODES[colour]}m${text}\u001b[0m` : (_colour, text) => text;
