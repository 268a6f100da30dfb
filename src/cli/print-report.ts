import type { Actions } from "./actions.ts";
import { type Painter, painter, wantsColour } from "./colours.ts";

/** How lines are printed on a terminal. */
export interface PrintStyle {
  readonly paint: Painter;
  /** The width of a line; longer lines are cut. */
  readonly columns?: number | undefined;
}

/** Returns the style of the terminal of a command. */
export const styleOf = ({ terminal: { isTerminal, env, columns } }: Pick<Actions, "terminal">): PrintStyle => ({
  paint: painter(wantsColour(isTerminal, env)),
  columns,
});

/** Prints a report: as JSON with `-o json`, else its lines. */
export function printReport(
  { print }: Pick<Actions, "print">,
  output: string,
  report: unknown,
  lines: () => readonly string[],
): void {
  print(output === "json" ? JSON.stringify(report, undefined, 2) : lines().join("\n"));
}
