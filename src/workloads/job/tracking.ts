/**
 * How the Pods of a Job are counted, each once (WL-JOB-3): their uids are written to the status, then their finalizer is removed, then
 * the status counts them.
 */
import type { Job, Pod } from "../../client/kinds/index.ts";
import { type PlannedWrite, tells } from "../common/plan.ts";
import { type End, type JobCondition, trueCondition } from "./ends.ts";
import { verdictOn } from "./failure-policy.ts";
import { type Intervals, hasIndex, intervalsText, sizeOf, withIndexes } from "./intervals.ts";
import { isFailed, isIndexed, isTracked, validIndexOf } from "./pods.ts";
import { conditionOf, isSameStatus, withCondition } from "./status.ts";

/** The maximum number of Pods that are counted at a time (WL-JOB-6). */
export const MAX_UNCOUNTED = 500;

/** The state of the Pods of a Job after its writes. */
export interface TrackInput {
  readonly job: Job;
  readonly pods: readonly Pod[];
  /** The status with its current counts; the rest is unchanged. */
  readonly present: Job["status"];
  readonly end: End | undefined;
  /** Includes the Pods that are not counted yet; empty without indexes. */
  readonly succeededIndexes: Intervals;
  /** Undefined without backoffLimitPerIndex. */
  readonly failedIndexes: Intervals | undefined;
  /** The succeeded indexes in the status. */
  readonly knownIndexes: Intervals;
  /** Failed Pods that keep the finalizer until their index has a new Pod. */
  readonly kept: ReadonlySet<Pod>;
  readonly now: number;
}

/** The writes that count Pods. */
export interface Tracking {
  /** The first status to write; undefined where it is unchanged, or where the second one includes its changes. */
  readonly status: Job["status"] | undefined;
  /** Pods whose finalizer is removed then. */
  readonly untracks: readonly Pod[];
  /** Returns the write after the finalizer of some of them was removed; undefined where nothing changes. */
  readonly settle: (untracked: ReadonlySet<Pod>) => Settled | undefined;
}

/** The status that counts the Pods, and the Events after it. */
export interface Settled {
  readonly status: Job["status"];
  readonly events: readonly PlannedWrite[];
}

type Uncounted = { succeeded: readonly string[]; failed: readonly string[] };

/** Plans the counting of Pods. */
export function planTracking(input: TrackInput): Tracking {
  const { job, pods, present, end, now } = input;
  const tracked = new Set(pods.filter(isTracked).map(({ metadata }) => metadata.uid));
  const before = counted(present, tracked, job);
  const { untracks, uncounted, newIndexes, isFull } = newlyEnded(input, before.uncountedTerminatedPods ?? {});
  const indexes = withIndexes(input.succeededIndexes, newIndexes);
  const status: Job["status"] = {
    ...before,
    uncountedTerminatedPods: uncountedOf(uncounted),
    ...(isIndexed(job) ? indexCounts(indexes, input.failedIndexes) : {}),
    ...begunConditions(job, before, end, now),
  };
  const isChanged = !isSameStatus(status, job.status);
  return {
    status: isChanged && untracks.length > 0 ? status : undefined,
    untracks,
    settle(untracked) {
      for (const { metadata } of untracked) tracked.delete(metadata.uid);
      const settled = counted(status, tracked, job);
      const finished = isFull ? undefined : finish(job, settled, end, now);
      const last = finished?.status ?? settled;
      const known = isChanged && untracks.length > 0 ? status : job.status;
      return isSameStatus(last, known) ? undefined : { status: last, events: finished?.events ?? [] };
    },
  };
}

/** Counts the uncounted Pods without the finalizer, or that were deleted. */
function counted(status: Job["status"], tracked: ReadonlySet<string>, job: Job): Job["status"] {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const still = {
    succeeded: succeeded.filter((uid) => tracked.has(uid)),
    failed: failed.filter((uid) => tracked.has(uid)),
  };
  const succeededCount = (status.succeeded ?? 0) + succeeded.length - still.succeeded.length;
  return {
    ...status,
    uncountedTerminatedPods: uncountedOf(still),
    // An Indexed Job counts indexes.
    ...(isIndexed(job) ? {} : { succeeded: present(succeededCount) }),
    failed: present((status.failed ?? 0) + failed.length - still.failed.length),
  } as Job["status"];
}

/** A count of 0 is absent. */
const present = (count: number): number | undefined => (count === 0 ? undefined : count);

const uncountedOf = ({ succeeded, failed }: Uncounted): NonNullable<Job["status"]["uncountedTerminatedPods"]> => ({
  ...(succeeded.length > 0 ? { succeeded } : {}),
  ...(failed.length > 0 ? { failed } : {}),
});

interface NewlyEnded {
  readonly untracks: readonly Pod[];
  readonly uncounted: Uncounted;
  readonly newIndexes: readonly number[];
  /** Whether more Pods remain than are counted at a time. */
  readonly isFull: boolean;
}

/** Finds the Pods to count and those whose finalizer may be removed. */
function newlyEnded(input: TrackInput, known: Partial<Uncounted>): NewlyEnded {
  const { job, pods, end, kept, knownIndexes } = input;
  const hasIndexes = isIndexed(job);
  const succeeded = new Set(known.succeeded);
  const failed = new Set(known.failed);
  const newIndexes: number[] = [];
  const untracks: Pod[] = [];
  let isFull = false;
  const ordered = hasIndexes
    ? pods.toSorted((a, b) => (validIndexOf(a, job) ?? -1) - (validIndexOf(b, job) ?? -1))
    : pods;
  for (const pod of ordered) {
    const isFailure = isFailed(pod, job);
    if (!isTracked(pod) || kept.has(pod) || !mayLoseFinalizer(pod, isFailure, input)) continue;
    untracks.push(pod);
    const { uid } = pod.metadata;
    const index = validIndexOf(pod, job);
    if (pod.status.phase === "Succeeded" && !failed.has(uid)) {
      if (!hasIndexes) succeeded.add(uid);
      else if (index !== undefined && !hasIndex(knownIndexes, index)) newIndexes.push(index);
    } else if (isFailure || (end && end.type !== "SuccessCriteriaMet")) {
      if ((!hasIndexes || index !== undefined) && verdictOn(pod, job).isCounted) failed.add(uid);
    }
    if (newIndexes.length + succeeded.size + failed.size >= MAX_UNCOUNTED) {
      isFull = true;
      break;
    }
  }
  return { untracks, uncounted: { succeeded: [...succeeded], failed: [...failed] }, newIndexes, isFull };
}

const mayLoseFinalizer = ({ status }: Pod, isFailure: boolean, { job, end }: TrackInput): boolean =>
  isFailure || end !== undefined || status.phase === "Succeeded" || job.metadata.deletionTimestamp !== undefined;

/** The counts of an Indexed Job (WL-JOB-21, WL-JOB-23). */
const indexCounts = (indexes: Intervals, failedIndexes: Intervals | undefined): Partial<Job["status"]> =>
  ({
    succeeded: present(sizeOf(indexes)),
    completedIndexes: intervalsText(indexes) || undefined,
    failedIndexes: failedIndexes && intervalsText(failedIndexes),
  }) as Partial<Job["status"]>;

/** Adds the condition that begins an end (WL-JOB-10, WL-JOB-11). */
function begunConditions(job: Job, { conditions = [] }: Job["status"], end: End | undefined, now: number): object {
  if (!end || end.type === "Failed" || trueCondition(job, end.type)) return {};
  return { conditions: [...conditions, conditionOf(end.type, "True", end.reason, end.message, now)] };
}

/** Adds the final condition when every Pod is counted and none is terminating. */
function finish(job: Job, status: Job["status"], end: End | undefined, now: number): Settled | undefined {
  const { uncountedTerminatedPods: { succeeded = [], failed = [] } = {}, terminating = 0 } = status;
  if (!end || succeeded.length + failed.length + terminating > 0) return undefined;
  const isSuccess = end.type === "SuccessCriteriaMet";
  const condition = conditionOf(isSuccess ? "Complete" : "Failed", "True", end.reason, end.message, now);
  const conditions = withCondition(status.conditions ?? [], condition);
  const completion = isSuccess ? { completionTime: condition.lastTransitionTime! } : {};
  return { status: { ...status, conditions, ...completion }, events: eventsOf(job, status, condition) };
}

function eventsOf(
  { spec }: Job,
  { succeeded = 0 }: Job["status"],
  { type, reason, message }: JobCondition,
): PlannedWrite[] {
  if (type === "Failed") return [tells("Warning", reason ?? "", message ?? "")];
  const tooMany = spec.completions !== undefined && succeeded > spec.completions;
  const warning = "Too many succeeded pods running after completion count reached";
  return [
    ...(tooMany ? [tells("Warning", "TooManySucceededPods", warning)] : []),
    tells("Normal", "Completed", "Job completed"),
  ];
}
