/**
 * A step of a release, and what it was found to need.
 *
 * - `ready`: the step can be done.
 * - `wrong`: something in this checkout is wrong. A dry run fails.
 * - `needed`: something that only the publisher knows or does is not there yet, such as the address of the repository. A release
 *   fails, a dry run tells it.
 *
 * @module
 */

/** The verdict of a step; see the head of this file. */
export type Verdict = "ready" | "wrong" | "needed";

/** A step of a release. */
export interface Step {
  readonly name: string;
  readonly verdict: Verdict;
  /** What was found. */
  readonly found: string;
  /** What to do about it; for a step that is ready, what the release does. */
  readonly next: string;
}

/** Returns the lines of a table of steps. */
export function linesOf(steps: readonly Step[]): string[] {
  const rows = [["STEP", "VERDICT", "FOUND", "NEXT"], ...steps.map((s) => [s.name, s.verdict, s.found, s.next])];
  const widths = [0, 1, 2].map((i) => Math.max(...rows.map((row) => row[i]!.length)));
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

/** Returns the exit code: 1 where something is wrong, and for a release also where something is needed. */
export const exitCodeOf = (steps: readonly Step[], isDryRun: boolean): number =>
  steps.some(({ verdict }) => verdict === "wrong" || (verdict === "needed" && !isDryRun)) ? 1 : 0;
