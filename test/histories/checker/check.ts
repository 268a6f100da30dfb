/**
 * The checker: whether a recorded history keeps every promise.
 *
 * It is not a search. Every write has a resourceVersion, one sequence for all, so the history can be put in order and
 * replayed; what is left to find out is whether that order fits the times at which things were asked and seen
 * ({@link Times}). Only the second opinion of {@link searchKeys} searches, and only in one key at a time.
 *
 *     logs     one log of all changes from what everybody saw; whoever saw it otherwise is found here
 *     writes   each change by one request and under its conditions; each answer in the log
 *     reads    each list the state of one revision; each get at a moment that fits
 *     watches  each event once, in order, none left out, as what it is
 *     times    the order of revisions against real time; then refusals and the promise to keep the past
 *     search   each key once more, without the log
 *
 * @module
 */
import type { History, Violation } from "../history.ts";
import { checkExpiry } from "./expiry.ts";
import { Findings } from "./findings.ts";
import { logsOf } from "./log.ts";
import { checkReads, checkRefusals } from "./reads.ts";
import { searchKeys } from "./register.ts";
import { Times } from "./times.ts";
import { checkWatches } from "./watches.ts";
import { checkWrites } from "./writes.ts";

/** What the checker says. */
export interface Report {
  readonly violations: readonly Violation[];
  /** Changes in the log. */
  readonly changes: number;
  /** Events of watches that were compared. */
  readonly events: number;
  /** Statements that were proven, and those that could not be decided for want of knowledge. */
  readonly checked: number;
  readonly skipped: number;
  /** Operations that the search placed, and keys for which it reached its limit. */
  readonly searched: number;
  readonly undecided: number;
}

/** Checks a history. */
export function check(history: History): Report {
  const findings = new Findings();
  const times = new Times();
  const { operations } = history;
  const logs = logsOf(history, findings);
  const authors = checkWrites(logs, operations, times, findings);
  checkReads(logs, operations, times, findings);
  const events = checkWatches(logs, history, times, findings);
  times.conclude(findings);
  checkRefusals(logs, operations, times, findings);
  checkExpiry(logs, history, times, findings);
  const { verdicts, operations: searched } = searchKeys(logs, operations, authors, times);
  let undecided = 0;
  for (const [key, verdict] of verdicts) {
    if (verdict === "undecided") undecided++;
    else
      findings.expect(verdict === "linearizable", "search", () => `no order of the operations on ${key} explains them`);
  }
  const changes = [...logs.values()].reduce((sum, log) => sum + log.changes.length, 0);
  const { violations, checked, skipped } = findings;
  return { violations, changes, events, checked, skipped, searched, undecided };
}
