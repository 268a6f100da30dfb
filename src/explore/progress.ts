/**
 * How far an exploration is, as text.
 *
 * @module
 */
import { counted } from "../util/counted.ts";
import { durationText } from "../util/duration.ts";
import { printable } from "../util/terminal.ts";
import type { Progress } from "./explore.ts";

/** Returns one line without an end: `120 of 340 plans, 2 faults, 1 notice, 12s of 1m0s`. */
export function progressText(progress: Progress, elapsedMillis: number, budgetMillis?: number): string {
  const { plans, planned, left, faults, notices } = progress;
  const combinations = Math.max(0, plans - (planned - left));
  const tried = `${planned - left} of ${counted(planned, "plan")}`;
  const time = durationText(Math.floor(elapsedMillis / 1000) * 1000);
  return [
    combinations === 0 ? tried : `${tried} and ${counted(combinations, "combination")}`,
    counted(faults, "fault"),
    ...(notices === 0 ? [] : [counted(notices, "notice")]),
    budgetMillis === undefined ? time : `${time} of ${durationText(budgetMillis)}`,
  ].join(", ");
}

/** How often a log gets a line, although nothing was found. */
const LOG_EVERY_MILLIS = 10_000;

/** What a log has got so far. */
export interface LogState {
  /** When the last line was written, since the beginning. */
  readonly lineMillis: number;
}

/** Returns the lines that a log gets now: one for a finding at once, one of progress now and then. */
export function logLines(
  state: LogState,
  progress: Progress,
  elapsedMillis: number,
  budgetMillis?: number,
): { readonly state: LogState; readonly lines: readonly string[] } {
  const { finding } = progress;
  const found = finding ? [`${finding.fault.severity}: ${printable(finding.fault.sentence)}`] : [];
  const isDue = elapsedMillis - state.lineMillis >= LOG_EVERY_MILLIS;
  const lines = isDue ? [...found, progressText(progress, elapsedMillis, budgetMillis)] : found;
  return { state: isDue ? { lineMillis: elapsedMillis } : state, lines };
}
