/** The states of Pods that controllers of workloads need: ready, available, finished, terminating, active, bound. */
import type { Pod } from "../../client/kinds/index.ts";
import { isFinished } from "../../claims/usage.ts";

/** Returns a condition of a Pod. */
export const conditionOfPod = (
  { status }: Pod,
  type: string,
): NonNullable<Pod["status"]["conditions"]>[number] | undefined =>
  status.conditions?.find((condition) => condition.type === type);

/** Whether a Pod is being deleted. */
export const isTerminating = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;

/** Whether a Pod is neither in a terminal phase nor being deleted. */
export const isActive = (pod: Pod): boolean => !isFinished(pod) && !isTerminating(pod);

/** Whether a Pod has the condition `Ready` with the status `True`. */
export const isReady = (pod: Pod): boolean => conditionOfPod(pod, "Ready")?.status === "True";

/**
 * The time since which a ready Pod counts as available, in milliseconds since the epoch; undefined where it is not ready. A condition
 * without a time counts as available only without `minReadySeconds`.
 */
export function availableSince(pod: Pod, minReadySeconds = 0): number | undefined {
  const ready = conditionOfPod(pod, "Ready");
  if (ready?.status !== "True") return undefined;
  if (minReadySeconds === 0) return 0;
  const since = ready.lastTransitionTime ? Date.parse(ready.lastTransitionTime) : Number.NaN;
  return Number.isNaN(since) ? undefined : since + minReadySeconds * 1000;
}

/** Whether a Pod has been ready for `minReadySeconds` at a time in milliseconds since the epoch. */
export function isAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  const since = availableSince(pod, minReadySeconds);
  return since !== undefined && since <= now;
}

/** Milliseconds until the next ready Pod that is not available yet becomes available; undefined where there is none (WL-RS-8). */
export function nextAvailable(pods: Iterable<Pod>, minReadySeconds: number, now: number): number | undefined {
  let soonest: number | undefined;
  for (const pod of pods) {
    const since = availableSince(pod, minReadySeconds);
    if (since !== undefined && since > now) soonest = Math.min(soonest ?? Infinity, since - now);
  }
  return soonest;
}
