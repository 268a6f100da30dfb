/**
 * The rules of a Job's status (KIND-Job-15, KIND-Job-16).
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { parseTime } from "../../../meta/time.ts";
import { validateNotLess, validateNotNegative } from "../../rules/counts.ts";
import { commonIndex, indexFault } from "./indexes.ts";
import type { Job } from "./job-schema.ts";

const isCondition = ({ status }: Job, type: string, value: string): boolean =>
  (status?.conditions ?? []).some((condition) => condition.type === type && condition.status === value);

const isTrue = (job: Job, type: string): boolean => isCondition(job, type, "True");

const hasEnded = (job: Job): boolean => isTrue(job, "Complete") || isTrue(job, "Failed");

/** Conditions that mean that the Job has ended, each with the conditions that it requires. */
const ENDS = [
  ["Complete", "SuccessCriteriaMet"],
  ["Failed", "FailureTarget"],
] as const;
const LASTING = ["Complete", "Failed", "FailureTarget", "SuccessCriteriaMet"] as const;

/** All faults of a status, the next one of `old`. */
export function validateJobStatus(job: Job, old: Job, errors: FieldErrors): void {
  const { spec, status } = job;
  const counts = ["active", "succeeded", "failed", "ready", "terminating"] as const;
  validateNotNegative(status, counts, "status", errors);
  if (status.ready !== undefined && status.ready > (status.active ?? 0)) {
    errors.invalid("status.ready", status.ready, "expected no more than active");
  }
  validateUncounted(job, errors);
  validateEnd(job, old, errors);
  for (const type of LASTING) {
    if (isTrue(old, type) && !isTrue(job, type)) errors.invalid("status.conditions", type, "expected it to stay True");
  }
  const before = old.status ?? {};
  const isResumed = isCondition(old, "Suspended", "True") && isCondition(job, "Suspended", "False");
  if (before.startTime !== undefined && before.startTime !== status.startTime && spec.suspend !== true && !isResumed) {
    errors.required("status.startTime", "expected what it was: it changes only while the Job is suspended");
  }
  const { completionTime } = status;
  if (before.completionTime !== undefined && completionTime !== undefined && completionTime !== before.completionTime) {
    errors.invalid("status.completionTime", completionTime, "field is immutable");
  }
  // Together with parallelism the completions of an indexed Job may become fewer.
  const mayShrink = isIndexed(job) && spec.completions === spec.parallelism;
  validateNotLess(status.succeeded ?? 0, mayShrink ? undefined : before.succeeded, "status.succeeded", errors);
  validateNotLess(status.failed ?? 0, before.failed, "status.failed", errors);
  validateIndexes(job, before, errors);
}

/** Lists of indexes, where they have changed: they are well formed, belong to an indexed Job, and have no index in common. */
function validateIndexes({ spec, status }: Job, before: Partial<Job["status"]>, errors: FieldErrors): void {
  const { completedIndexes: completed = "", failedIndexes: failed } = status;
  const { completions, backoffLimitPerIndex } = spec;
  const completedIsNew = completed !== (before.completedIndexes ?? "");
  const failedIsNew = failed !== before.failedIndexes;
  if (completedIsNew && completed !== "") {
    const fault =
      spec.completionMode === "Indexed"
        ? completions === undefined
          ? undefined
          : indexFault(completed, completions)
        : "expected none unless the Job is Indexed";
    if (fault !== undefined) errors.invalid("status.completedIndexes", completed, fault);
  }
  if (failed === undefined) return;
  const field = "status.failedIndexes";
  if (failedIsNew) {
    const fault =
      backoffLimitPerIndex === undefined
        ? "expected none unless the Job has a backoffLimitPerIndex"
        : completions === undefined
          ? undefined
          : indexFault(failed, completions);
    if (fault !== undefined) errors.invalid(field, failed, fault);
  }
  if ((!failedIsNew && !completedIsNew) || completions === undefined) return;
  const both = commonIndex(completed, failed, completions);
  if (both !== undefined) errors.invalid(field, failed, `expected no index that has succeeded, got ${both}`);
}

const isIndexed = ({ spec }: Job): boolean => spec.completionMode === "Indexed";

function validateUncounted({ status }: Job, errors: FieldErrors): void {
  const seen = new Set<string>();
  for (const list of ["succeeded", "failed"] as const) {
    for (const [i, uid] of (status.uncountedTerminatedPods?.[list] ?? []).entries()) {
      const field = `status.uncountedTerminatedPods.${list}[${i}]`;
      if (uid === "") errors.invalid(field, uid, "expected the uid of a Pod");
      else if (seen.has(uid)) errors.duplicate(field, uid);
      seen.add(uid);
    }
  }
}

function validateEnd(job: Job, old: Job, errors: FieldErrors): void {
  const { spec, status } = job;
  for (const [end, before] of ENDS) {
    if (isTrue(job, end) && !isTrue(job, before)) {
      errors.invalid("status.conditions", end, `expected the condition ${before} before ${end}`);
    }
  }
  const hasFailed = isTrue(job, "Failed") || isTrue(job, "FailureTarget");
  const hasSucceeded = isTrue(job, "Complete") || isTrue(job, "SuccessCriteriaMet");
  if (hasFailed && hasSucceeded) errors.invalid("status.conditions", "Failed", "expected success or failure, not both");
  const [start, end] = [parseTime(status.startTime ?? ""), parseTime(status.completionTime ?? "")];
  if (isTrue(job, "Complete")) {
    if (end === undefined) errors.required("status.completionTime", "expected a time: the Job is Complete");
  } else if (end !== undefined)
    errors.invalid("status.completionTime", status.completionTime, "expected none: the Job is not Complete");
  if (start !== undefined && end !== undefined && end < start) {
    errors.invalid("status.completionTime", status.completionTime, "expected a time after startTime");
  }
  if (!hasEnded(job)) return;
  const startCounts = !hasEnded(old) || old.status?.startTime !== status.startTime;
  const neverStarts = spec.suspend === true && spec.completions === 0;
  if (start === undefined && startCounts && !neverStarts)
    errors.required("status.startTime", "expected a time: the Job has ended");
  if ((status.active ?? 0) > 0) errors.invalid("status.active", status.active, "expected 0: the Job has ended");
  if ((status.terminating ?? 0) > 0)
    errors.invalid("status.terminating", status.terminating, "expected 0: the Job has ended");
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  if (succeeded.length + failed.length > 0) {
    errors.invalid("status.uncountedTerminatedPods", null, "expected none: the Job has ended");
  }
}
