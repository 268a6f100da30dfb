/**
 * The progress of an exploration, as text.
 *
 * @module
 */
import { counted } from "../util/counted.ts";
import { durationText } from "../util/duration.ts";
import { printable } from "../util/terminal.ts";
import type { Finding } from "./contract/finding.ts";
import type { Progress } from "./exploration.ts";

/** Returns one line without an end: `120 of 340 plans, 2 faults, 1 notice, 12s of 1m0s`. */
export function progressText(progress: Progress, elapsedMillis: number, budgetMillis?: number): string {
  const { planned, left, combinations, faults, notices } = progress;
  const tried = `${planned - left} of ${counted(planned, "plan")}`;
  const time = durationText(Math.floor(elapsedMillis / 1000) * 1000);
  return [
    combinations === 0 ? tried : `${tried} and ${counted(combinations, "combination")}`,
    counted(faults, "fault"),
    ...(notices === 0 ? [] : [counted(notices, "notice")]),
    budgetMillis === undefined ? time : `${time} of ${durationText(budgetMillis)}`,
  ].join(", ");
}

/** Returns a line for a new finding, without foreign control characters: `fault: ConfigMap default/a is missing.` */
export const foundText = ({ fault: { severity, sentence } }: Finding): string => `${severity}: ${printable(sentence)}`;
