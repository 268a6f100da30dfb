import { assert } from "../util/assert.ts";
import { MAX_MOMENTS, type StoreMoment, type StoreMoments } from "./contract.ts";

/**
 * Finds moments in a history of one write for each revision after `compacted`, by halving it.
 *
 * @param timeOf the wall time of a revision; undefined where that is not known
 */
export function momentsOf(
  compacted: number,
  newest: number,
  timeOf: (revision: number) => number | undefined,
  times: readonly number[],
): StoreMoments {
  assert(times.length <= MAX_MOMENTS, `at most ${MAX_MOMENTS} times are asked for, got ${times.length}`);
  const momentOf = (revision: number): StoreMoment | undefined => {
    const time = revision > compacted && revision <= newest ? timeOf(revision) : undefined;
    return time === undefined ? undefined : { revision, time };
  };
  const lastAt = (time: number): StoreMoment | undefined => {
    let [low, high] = [compacted, newest];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((timeOf(middle) ?? Infinity) <= time) low = middle;
      else high = middle - 1;
    }
    return momentOf(low);
  };
  const [first, last] = [momentOf(compacted + 1), momentOf(newest)];
  return {
    compactedRevision: compacted,
    ...(first && { oldest: first }),
    ...(last && { newest: last }),
    found: times.map(lastAt),
  };
}
