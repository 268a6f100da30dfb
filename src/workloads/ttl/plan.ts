/** When a finished Job is deleted (WL-JOB-14). */
import type { Job } from "../../client/kinds/index.ts";
import { finishedCondition } from "../job/ends.ts";

/**
 * Returns the milliseconds until a Job is deleted, 0 or less where it is due; undefined where it is never deleted by time: it has not
 * finished, has no ttlSecondsAfterFinished, or is being deleted already.
 */
export function leftToLive(job: Job, now: number): number | undefined {
  const { ttlSecondsAfterFinished: seconds } = job.spec;
  if (seconds === undefined || job.metadata.deletionTimestamp !== undefined) return undefined;
  const finished = Date.parse(finishedCondition(job)?.lastTransitionTime ?? "");
  return Number.isNaN(finished) ? undefined : finished + seconds * 1000 - now;
}
