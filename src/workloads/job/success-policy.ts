/** Whether the indexes that succeeded satisfy a successPolicy (WL-JOB-24). */
import type { Job } from "../../client/kinds/index.ts";
import { type Intervals, commonSize, parseIntervals, sizeOf } from "./intervals.ts";

/** Returns the number of the first rule that is satisfied; undefined where none is. */
export function metRule({ spec }: Job, succeeded: Intervals): number | undefined {
  if (succeeded.length === 0) return undefined;
  const met = spec.successPolicy?.rules?.findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined) return succeededCount !== undefined && sizeOf(succeeded) >= succeededCount;
    const required = parseIntervals(succeededIndexes, spec.completions ?? 0);
    if (required.length === 0) return false;
    const size = commonSize(required, succeeded);
    return size === sizeOf(required) || (succeededCount !== undefined && size >= succeededCount);
  });
  return met === undefined || met < 0 ? undefined : met;
}
