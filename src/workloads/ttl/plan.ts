/** When a Job that has finished is deleted (WL-JOB-14). */
import type { Job } from "../../client/kinds/index.ts";
import { finishedCondition } from "../job/ends.ts";

/**
 * Returns the milliseconds that a Job is kept still, 0 or less where it is due; undefined where it is kept for ever: it has not
 * finished, has no ttlSecondsAfterFinished, or is being deleted already.
 */
export function leftToLive(job: Job, now: number): number | undefined {
  const { ttlSecondsAfterFinished: seconds } = job.spec;
  if (seconds === undefined || job.metadata.deletionTimestamp !== undefined) return undefined;
  const finished = Date.parse(finishedCondition(job)?.lastTransitionTime ?? "");
  return Number.isNaN(finished) ? undefined : finished + seconds * 1000 - now;
}
