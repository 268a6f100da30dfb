import type { Colour } from "../util/terminal.ts";

export { type Colour, type Painter, painter, printable } from "../util/terminal.ts";

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
