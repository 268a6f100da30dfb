/** When a Job ends, and why (WL-JOB-10..13, WL-JOB-23, WL-JOB-24). */
import type { Job, Pod } from "../../client/kinds/index.ts";
import { verdictOn } from "./failure-policy.ts";
import { type Intervals, sizeOf } from "./intervals.ts";
import { isFailed, isIndexed, restartsOf } from "./pods.ts";
import { metRule } from "./success-policy.ts";

/** A condition of a Job. */
export type JobCondition = NonNullable<Job["status"]["conditions"]>[number];

/** The end of a Job that has begun: a condition without its times. */
export interface End {
  /** `Failed` where the status has `FailureTarget` already. */
  readonly type: "SuccessCriteriaMet" | "FailureTarget" | "Failed";
  readonly reason: string;
  readonly message: string;
}

/** The end of a Job with all completions (WL-JOB-10). */
export const COMPLETED: End = {
  type: "SuccessCriteriaMet",
  reason: "CompletionsReached",
  message: "Reached expected number of succeeded pods",
};

/** Returns a condition of a Job with the status True. */
export const trueCondition = ({ status }: Job, type: string): JobCondition | undefined =>
  status.conditions?.find((one) => one.type === type && one.status === "True");

/** Returns the condition with which a Job has finished; undefined while it has not. */
export const finishedCondition = (job: Job): JobCondition | undefined =>
  job.status.conditions?.find(({ type, status }) => (type === "Complete" || type === "Failed") && status === "True");

/** Whether a Job is suspended. */
export const isSuspended = ({ spec }: Job): boolean => spec.suspend === true;

/** Returns the start time of a Job, in milliseconds; a resumed Job has a new one (WL-JOB-13, WL-JOB-40). */
export const beginOf = (job: Job, now: number): number =>
  job.status.startTime === undefined || trueCondition(job, "Suspended") ? now : Date.parse(job.status.startTime);

/** Milliseconds until the deadline of a Job; undefined where it has none (WL-JOB-13). */
export function leftToDeadline(job: Job, now: number): number | undefined {
  const { activeDeadlineSeconds: seconds } = job.spec;
  return seconds === undefined || isSuspended(job) ? undefined : beginOf(job, now) + seconds * 1000 - now;
}

/** What the end of a Job depends on. */
export interface EndFacts {
  readonly pods: readonly Pod[];
  /** Failures that count. */
  readonly failed: number;
  readonly succeededIndexes: Intervals;
  /** Undefined without backoffLimitPerIndex. */
  readonly failedIndexes: Intervals | undefined;
  readonly now: number;
}

/** Returns how a Job ends; undefined where it does not. Whether all of it succeeded is known only when its Pods are counted. */
export const endOfJob = (job: Job, facts: EndFacts): End | undefined =>
  begunEnd(job) ?? failedByPolicy(job, facts) ?? failedByLimits(job, facts) ?? endByIndexes(job, facts);

/** The end that the status has already. */
function begunEnd(job: Job): End | undefined {
  const met = trueCondition(job, "SuccessCriteriaMet");
  const begun = met ?? trueCondition(job, "FailureTarget");
  if (!begun) return undefined;
  const { reason = "", message = "" } = begun;
  return { type: met ? "SuccessCriteriaMet" : "Failed", reason, message };
}

const failing = (reason: string, message: string): End => ({ type: "FailureTarget", reason, message });

function failedByPolicy(job: Job, { pods }: EndFacts): End | undefined {
  if (!job.spec.podFailurePolicy) return undefined;
  for (const pod of pods) {
    const message = isFailed(pod, job) ? verdictOn(pod, job).failsJob : undefined;
    if (message !== undefined) return failing("PodFailurePolicy", message);
  }
  return undefined;
}

function failedByLimits(job: Job, { pods, failed, now }: EndFacts): End | undefined {
  if (failed > backoffLimitOf(job) || hasTooManyRestarts(job, pods)) {
    return failing("BackoffLimitExceeded", "Job has reached the specified backoff limit");
  }
  return (leftToDeadline(job, now) ?? 1) <= 0
    ? failing("DeadlineExceeded", "Job was active longer than specified deadline")
    : undefined;
}

const DEFAULT_BACKOFF_LIMIT = 6;

const backoffLimitOf = ({ spec }: Job): number => spec.backoffLimit ?? DEFAULT_BACKOFF_LIMIT;

/** Whether the containers of running Pods have been restarted too often (WL-JOB-12). */
function hasTooManyRestarts(job: Job, pods: readonly Pod[]): boolean {
  if (job.spec.template.spec.restartPolicy !== "OnFailure") return false;
  let restarts = 0;
  for (const pod of pods) {
    if (pod.status.phase === "Running" || pod.status.phase === "Pending") restarts += restartsOf(pod);
  }
  return restarts >= Math.max(1, backoffLimitOf(job));
}

function endByIndexes(job: Job, { succeededIndexes, failedIndexes }: EndFacts): End | undefined {
  if (!isIndexed(job)) return undefined;
  const { maxFailedIndexes, completions = 0 } = job.spec;
  const failed = sizeOf(failedIndexes ?? []);
  if (maxFailedIndexes !== undefined && failed > maxFailedIndexes) {
    return failing("MaxFailedIndexesExceeded", "Job has exceeded the specified maximal number of failed indexes");
  }
  if (failed > 0 && failed + sizeOf(succeededIndexes) >= completions) {
    return failing("FailedIndexes", "Job has failed indexes");
  }
  const rule = metRule(job, succeededIndexes);
  return rule === undefined
    ? undefined
    : { type: "SuccessCriteriaMet", reason: "SuccessPolicy", message: `Matched rules at index ${rule}` };
}
