/**
 * Plans a Job: which Pods to create and to delete, how finished ones are counted, and when it has finished.
 *
 * @module
 */
import { Pod, type Job } from "../../client/kinds/index.ts";
import { formatTime } from "../../meta/time.ts";
import { isFinished } from "../../claims/usage.ts";
import { type PlannedWrite, creates, deletes, soonest, tells } from "../common/plan.ts";
import { isActive, isReady, isTerminating } from "../common/pods.ts";
import { type Failures, waitAfter, waitOfIndex, withEnded } from "./backoff.ts";
import { COMPLETED, type End, endOfJob, isSuspended, leftToDeadline } from "./ends.ts";
import { verdictOn } from "./failure-policy.ts";
import { type Intervals, firstFree, hasIndex, parseIntervals, sizeOf, union, withIndexes } from "./intervals.ts";
import {
  INDEX_FAILURES,
  countIn,
  endOf,
  failuresBefore,
  indexOf,
  isFailed,
  isIndexed,
  isTracked,
  replacesOnlyFailed,
  validIndexOf,
} from "./pods.ts";
import { podsToRemove } from "./removal.ts";
import { conditionOf, isSameStatus, withCondition } from "./status.ts";
import { indexedPodsOf, podOfJob } from "./template.ts";
import { type Tracking, planTracking } from "./tracking.ts";

/** The maximum number of Pods that are created or deleted at a time (WL-GEN-5). */
export const MAX_WRITES = 500;
/** Changes of Pods within this time are handled together (WL-JOB-6). */
export const BATCH_MS = 1000;

const CREATED = { done: "SuccessfulCreate", refused: "FailedCreate" };
const DELETED = { done: "SuccessfulDelete", refused: "FailedDelete" };

/** A Job, the Pods that it controls, and the time in milliseconds since the epoch. */
export interface JobInput {
  readonly job: Job;
  readonly pods: readonly Pod[];
  /** The failures since the last success, without Pods that are not counted yet. */
  readonly failures: Failures;
  readonly now: number;
}

/** The results of the writes of a plan. */
export interface JobOutcome {
  readonly created: number;
  readonly deleted: readonly Pod[];
  /** Whether a write was refused. */
  readonly isRefused: boolean;
}

/** The writes for a Job. */
export interface JobPlan {
  readonly creates: readonly PlannedWrite[];
  /** Pods to delete, one after the other, each with the write that comes before. */
  readonly deletes: readonly Pod[];
  /** Whether the finalizer of the deleted Pods is removed first, so that they are not counted. */
  readonly isUncounted: boolean;
  /** The failures since the last success, with all finished Pods. */
  readonly failures: Failures;
  /** The Events and the counting of Pods after these writes. */
  readonly track: (outcome: JobOutcome) => Tracking & { readonly events: readonly PlannedWrite[] };
  /** Milliseconds until the plan changes although no object does. */
  readonly againMillis: number | undefined;
}

/** Creates the write that deletes a Pod. */
export const deletesPod = (pod: Pod): PlannedWrite => deletes(Pod, pod, DELETED);

/** Plans a Job that has not finished. */
export function planJob(input: JobInput): JobPlan {
  const facts = factsOf(input);
  const { job } = input;
  if (facts.end) return planOf(facts, { deletes: facts.active });
  const again = leftToDeadline(job, input.now);
  if (job.metadata.deletionTimestamp !== undefined) return planOf(facts, {});
  const actions = isSuspended(job) ? { deletes: facts.active, isUncounted: true } : scaled(facts);
  return planOf(facts, { ...actions, isManaged: true, again: soonest(again, actions.again) });
}

/** What follows from the Pods of a Job. */
interface Facts extends JobInput {
  readonly active: readonly Pod[];
  readonly terminating: readonly Pod[];
  /** Pods or indexes that succeeded. */
  readonly succeeded: number;
  readonly knownIndexes: Intervals;
  readonly succeededIndexes: Intervals;
  readonly failedIndexes: Intervals | undefined;
  /** The last failed Pod of each index without another Pod, with backoffLimitPerIndex. */
  readonly lastFailed: ReadonlyMap<number, Pod>;
  readonly end: End | undefined;
}

/** Pods to create or to delete. */
interface Actions {
  readonly creates?: readonly PlannedWrite[];
  readonly deletes?: readonly Pod[];
  readonly isUncounted?: boolean;
  readonly isManaged?: boolean;
  readonly again?: number | undefined;
}

function factsOf(input: JobInput): Facts {
  const { job, pods, failures, now } = input;
  const { uncountedTerminatedPods = {}, succeeded = 0, failed = 0 } = job.status;
  const known = {
    succeeded: new Set(uncountedTerminatedPods.succeeded),
    failed: new Set(uncountedTerminatedPods.failed),
  };
  const countable = pods.filter((pod) => isTracked(pod) && (!isIndexed(job) || validIndexOf(pod, job) !== undefined));
  const hasSucceeded = ({ status }: Pod): boolean => status.phase === "Succeeded";
  const newSucceeded = countable.filter((pod) => hasSucceeded(pod) && !known.succeeded.has(pod.metadata.uid));
  const newFailed = countable.filter((pod) => isFailed(pod, job) && !known.failed.has(pod.metadata.uid));
  const active = pods.filter(isActive);
  const indexes = indexFacts(job, countable, active);
  return {
    ...input,
    active,
    terminating: pods.filter((pod) => isTerminating(pod) && !isFinished(pod)),
    failures: withEnded(failures, newSucceeded, newFailed),
    succeeded: isIndexed(job)
      ? sizeOf(indexes.succeededIndexes)
      : succeeded + newSucceeded.length + known.succeeded.size,
    ...indexes,
    end: endOfJob(job, {
      pods,
      failed: failed + newFailed.filter((pod) => verdictOn(pod, job).isCounted).length + known.failed.size,
      ...indexes,
      now,
    }),
  };
}

type IndexFacts = Pick<Facts, "knownIndexes" | "succeededIndexes" | "failedIndexes" | "lastFailed">;

const NO_INDEXES: IndexFacts = {
  knownIndexes: [],
  succeededIndexes: [],
  failedIndexes: undefined,
  lastFailed: new Map(),
};

function indexFacts(job: Job, countable: readonly Pod[], active: readonly Pod[]): IndexFacts {
  if (!isIndexed(job)) return NO_INDEXES;
  const { completions = 0, backoffLimitPerIndex } = job.spec;
  const indexesOf = (pods: readonly Pod[]): number[] => pods.map((pod) => validIndexOf(pod, job)!);
  const knownIndexes = parseIntervals(job.status.completedIndexes ?? "", completions);
  const hasSucceeded = ({ status }: Pod): boolean => status.phase === "Succeeded";
  const succeededIndexes = withIndexes(knownIndexes, indexesOf(countable.filter(hasSucceeded)));
  const facts = { ...NO_INDEXES, knownIndexes, succeededIndexes };
  if (backoffLimitPerIndex === undefined) return facts;
  const before = parseIntervals(job.status.failedIndexes ?? "", completions);
  const failedPods = countable.filter((pod) => failsIndex(pod, job, backoffLimitPerIndex));
  const failedIndexes = withIndexes(before, indexesOf(failedPods));
  const taken = union(
    union(succeededIndexes, failedIndexes),
    withIndexes(
      [],
      active.flatMap((pod) => indexOf(pod) ?? []),
    ),
  );
  const failed = countable.filter((pod) => isFailed(pod, job) && !hasIndex(taken, validIndexOf(pod, job)!));
  return { ...facts, failedIndexes, lastFailed: lastFailedOf(failed, job) };
}

/** Whether the failure of a Pod exceeds the limit of its index (WL-JOB-23). */
function failsIndex(pod: Pod, job: Job, limit: number): boolean {
  if (!isFailed(pod, job)) return false;
  const { failsIndex: atOnce, isCounted } = verdictOn(pod, job);
  return atOnce || (isCounted && countIn(pod, INDEX_FAILURES) >= limit);
}

function lastFailedOf(failed: readonly Pod[], job: Job): ReadonlyMap<number, Pod> {
  const last = new Map<number, Pod>();
  for (const pod of failed) {
    const index = validIndexOf(pod, job)!;
    const other = last.get(index);
    if (!other || (failuresBefore(other) <= failuresBefore(pod) && endOf(other) <= endOf(pod))) last.set(index, pod);
  }
  return last;
}

/** Returns how many Pods should be active (WL-JOB-2). */
function wantedOf({ job, succeeded, active }: Facts): number {
  const { completions, parallelism = 1 } = job.spec;
  if (completions === undefined) return succeeded > 0 ? active.length : parallelism;
  return Math.max(0, Math.min(parallelism, completions - succeeded));
}

/** Creates missing Pods, or deletes those that are too many. */
function scaled(facts: Facts): Actions {
  const { job, active, terminating, now } = facts;
  const wanted = wantedOf(facts);
  const surplus = podsToRemove(job, active, Math.max(0, active.length - wanted)).slice(0, MAX_WRITES);
  if (surplus.length > 0) return { deletes: surplus, isUncounted: true };
  const going = replacesOnlyFailed(job) ? terminating.length : 0;
  const missing = Math.min(MAX_WRITES, wanted - going - active.length);
  if (missing <= 0) return {};
  if (job.spec.backoffLimitPerIndex === undefined) {
    const wait = waitAfter(facts.failures, now);
    if (wait > 0) return { again: Math.max(BATCH_MS, wait) };
  }
  return isIndexed(job)
    ? indexedCreates(facts, missing)
    : { creates: Array.from({ length: missing }, () => creates(Pod, podOfJob(job), CREATED)) };
}

/** Creates Pods for the lowest indexes without one; each failed index has its own backoff (WL-JOB-20, WL-JOB-23). */
function indexedCreates(facts: Facts, missing: number): Actions {
  const { job, active, terminating, succeededIndexes, failedIndexes = [], lastFailed, now } = facts;
  const present = replacesOnlyFailed(job) ? [...active, ...terminating] : active;
  const taken = union(
    union(succeededIndexes, failedIndexes),
    withIndexes(
      [],
      present.flatMap((pod) => indexOf(pod) ?? []),
    ),
  );
  const waits = firstFree(taken, missing, job.spec.completions ?? 0).map((index) => ({
    index,
    wait: waitOfIndex(lastFailed.get(index), now),
  }));
  const due = waits.filter(({ wait }) => wait === 0);
  const again = soonest(...waits.filter(({ wait }) => wait > 0).map(({ wait }) => Math.max(BATCH_MS, wait)));
  const podOf = indexedPodsOf(job);
  return {
    creates: due.map(({ index }) => creates(Pod, podOf(index, lastFailed.get(index)), CREATED)),
    again,
  };
}

function planOf(facts: Facts, actions: Actions): JobPlan {
  return {
    creates: actions.creates ?? [],
    deletes: actions.deletes ?? [],
    isUncounted: actions.isUncounted === true,
    failures: facts.failures,
    againMillis: actions.again,
    track(outcome) {
      const end = endAfter(facts, outcome);
      const { present, events } = presentStatus(facts, outcome, actions.isManaged === true && !end);
      const keeps = !end && facts.job.metadata.deletionTimestamp === undefined;
      const kept = new Set(keeps ? facts.lastFailed.values() : []);
      return { ...planTracking({ ...facts, present, end, kept }), events };
    },
  };
}

/** The end of a Job after its writes: all of it may have succeeded now, and while a Pod could not be deleted it does not end. */
function endAfter(
  { job, end, active, succeeded }: Facts,
  { created, deleted, isRefused }: JobOutcome,
): End | undefined {
  const left = active.length + created - deleted.length;
  if (end) return left > 0 || isRefused ? undefined : end;
  const { completions } = job.spec;
  const isEnough = completions === undefined ? succeeded > 0 : succeeded >= completions;
  return isEnough && left === 0 ? COMPLETED : undefined;
}

/** The current counts, and whether the Job is suspended (WL-JOB-40, WL-JOB-42). */
function presentStatus(
  { job, active, terminating, now }: Facts,
  { created, deleted }: JobOutcome,
  isManaged: boolean,
): { readonly present: Job["status"]; readonly events: readonly PlannedWrite[] } {
  const activeCount = active.length + created - deleted.length;
  const startTime = job.status.startTime ?? (isSuspended(job) ? undefined : formatTime(now));
  const present = {
    ...job.status,
    ...(startTime === undefined ? {} : { startTime }),
    active: activeCount === 0 ? undefined : activeCount,
    ready: active.filter(isReady).length - deleted.filter(isReady).length,
    terminating: terminating.length + deleted.length,
  } as Job["status"];
  return isManaged ? withSuspension(job, present, now) : { present, events: [] };
}

function withSuspension(
  job: Job,
  present: Job["status"],
  now: number,
): { readonly present: Job["status"]; readonly events: readonly PlannedWrite[] } {
  const { conditions = [] } = present;
  const suspended = isSuspended(job);
  if (!suspended && !conditions.some(({ type }) => type === "Suspended")) return { present, events: [] };
  const told = suspended ? "Suspended" : "Resumed";
  const message = suspended ? "Job suspended" : "Job resumed";
  const condition = conditionOf("Suspended", suspended ? "True" : "False", `Job${told}`, message, now);
  const next = withCondition(conditions, condition);
  if (isSameStatus(next, conditions)) return { present, events: [] };
  const begin = suspended ? {} : { startTime: formatTime(now) };
  return { present: { ...present, conditions: next, ...begin }, events: [tells("Normal", told, message)] };
}
