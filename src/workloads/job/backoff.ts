/**
 * How long a Job waits before it replaces a failed Pod: 10 s after the end of the last one, doubled with each failure since the last
 * success up to 10 minutes (WL-JOB-5).
 */
import type { Pod } from "../../client/kinds/index.ts";
import { isFinished } from "../../claims/usage.ts";
import { endOf, failuresBefore, isTracked } from "./pods.ts";

/** The failures of a Job since its last success. */
export interface Failures {
  readonly count: number;
  /** When the last of them ended, in milliseconds since the epoch; 0 where there is none. */
  readonly lastEnd: number;
}

const FIRST_MS = 10_000;
const MOST_MS = 600_000;

const NONE: Failures = { count: 0, lastEnd: 0 };

/** Returns the remaining wait in milliseconds after some failures. */
export function waitAfter({ count, lastEnd }: Failures, now: number): number {
  if (count === 0) return 0;
  const wait = Math.min(MOST_MS, FIRST_MS * 2 ** Math.min(count - 1, 10));
  return Math.max(0, lastEnd + wait - now);
}

/** Returns the remaining wait in milliseconds of an index after its last failed Pod. */
export const waitOfIndex = (lastFailed: Pod | undefined, now: number): number =>
  lastFailed ? waitAfter({ count: failuresBefore(lastFailed) + 1, lastEnd: endOf(lastFailed) }, now) : 0;

/** Adds Pods that have finished since: a success resets the failures before it. */
export function withEnded(before: Failures, succeeded: readonly Pod[], failed: readonly Pod[]): Failures {
  if (succeeded.length === 0 && failed.length === 0) return before;
  const lastSuccess = latestOf(succeeded.map(endOf));
  const ends = failed.map(endOf).filter((end) => end > lastSuccess);
  const kept = succeeded.length === 0 ? before : NONE;
  if (ends.length === 0) return kept;
  return { count: kept.count + ends.length, lastEnd: latestOf(ends) };
}

/** The latest of some times, of which there may be a hundred thousand. */
const latestOf = (times: readonly number[]): number =>
  times.reduce((latest, time) => Math.max(latest, time), -Infinity);

/**
 * Returns the failures that were counted before, from the Pods of a Job: those that finished by themselves. A Pod that was deleted does
 * not show whether it had failed.
 *
 * @param uncounted uids of Pods that are being counted
 */
export function failuresOf(pods: readonly Pod[], uncounted: ReadonlySet<string>): Failures {
  const counted = pods.filter((pod) => isFinished(pod) && (!isTracked(pod) || uncounted.has(pod.metadata.uid)));
  const ended = counted.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const of = (phase: string): readonly Pod[] => ended.filter(({ status }) => status.phase === phase);
  return withEnded(NONE, of("Succeeded"), of("Failed"));
}
