/**
 * The rules of a Job's status (KIND-Job-15, KIND-Job-16).
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { parseTime } from "../../../meta/time.ts";
import { validateNotLess, validateNotNegative } from "../../rules/counts.ts";
import { indexFault } from "./indexes.ts";
import type { Job } from "./job-schema.ts";

const isTrue = ({ status }: Job, type: string): boolean =>
  (status?.conditions ?? []).some((condition) => condition.type === type && condition.status === "True");

/** Conditions that mean that the Job has ended, and what each of them follows. */
const ENDS = [
  ["Complete", "SuccessCriteriaMet"],
  ["Failed", "FailureTarget"],
] as const;
const LASTING = ["Complete", "Failed", "FailureTarget", "SuccessCriteriaMet"] as const;

/** Everything that is wrong with a status, the next one of `old`. */
export function validateJobStatus(job: Job, old: Job, errors: FieldErrors): void {
  const { spec, status } = job;
  const counts = ["active", "succeeded", "failed", "ready", "terminating"] as const;
  validateNotNegative(status, counts, "status", errors);
  if ((status.ready ?? 0) > (status.active ?? 0)) {
    errors.invalid("status.ready", status.ready, "expected no more than active");
  }
  validateUncounted(job, errors);
  validateEnd(job, errors);
  for (const type of LASTING) {
    if (isTrue(old, type) && !isTrue(job, type)) errors.invalid("status.conditions", type, "expected it to stay True");
  }
  const before = old.status ?? {};
  if (before.startTime !== undefined && before.startTime !== status.startTime && spec.suspend !== true) {
    errors.required("status.startTime", "expected what it was: it changes only while the Job is suspended");
  }
  validateNotLess(status.succeeded ?? 0, isIndexed(job) ? undefined : before.succeeded, "status.succeeded", errors);
  validateNotLess(status.failed ?? 0, before.failed, "status.failed", errors);
  for (const member of ["completedIndexes", "failedIndexes"] as const) {
    const indexes = status[member];
    if (!indexes || indexes === before[member]) continue;
    const fault = isIndexed(job)
      ? indexFault(indexes, spec.completions ?? 0)
      : "expected none unless the Job is Indexed";
    if (fault !== undefined) errors.invalid(`status.${member}`, indexes, fault);
  }
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

function validateEnd(job: Job, errors: FieldErrors): void {
  const { status } = job;
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
  if (!isTrue(job, "Complete") && !isTrue(job, "Failed")) return;
  if (start === undefined) errors.required("status.startTime", "expected a time: the Job has ended");
  if ((status.active ?? 0) > 0) errors.invalid("status.active", status.active, "expected 0: the Job has ended");
  if ((status.terminating ?? 0) > 0)
    errors.invalid("status.terminating", status.terminating, "expected 0: the Job has ended");
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  if (succeeded.length + failed.length > 0) {
    errors.invalid("status.uncountedTerminatedPods", null, "expected none: the Job has ended");
  }
}
