/**
 * How far an exploration is, as text.
 *
 * @module
 */
import { durationText } from "../util/duration.ts";
import { printable } from "../util/terminal.ts";
import type { Finding } from "./contract/finding.ts";
import type { Progress } from "./explore.ts";

const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? "" : "s"}`;

/** Returns one line without an end: `120 of 340 plans, 2 faults, 1 notice, 12s of 1m0s`. */
export function progressText(progress: Progress, elapsedMillis: number, budgetMillis?: number): string {
  const { plans, planned, left, faults, notices } = progress;
  const combinations = Math.max(0, plans - (planned - left));
  const tried = `${planned - left} of ${count(planned, "plan")}`;
  const time = durationText(Math.floor(elapsedMillis / 1000) * 1000);
  return [
    combinations === 0 ? tried : `${tried} and ${count(combinations, "combination")}`,
    count(faults, "fault"),
    ...(notices === 0 ? [] : [count(notices, "notice")]),
    budgetMillis === undefined ? time : `${time} of ${durationText(budgetMillis)}`,
  ].join(", ");
}

/** Returns a line for what was just found, without control characters of others: `fault: ConfigMap default/a is missing.` */
export const foundText = ({ fault: { severity, sentence } }: Finding): string => `${severity}: ${printable(sentence)}`;
