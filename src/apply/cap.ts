import { compareText, unionAll } from "./fieldpath/index.ts";
import type { FieldSet } from "./fieldpath/index.ts";
import type { Owned } from "./merge/index.ts";
import { compareTimes, managerKey } from "./entries.ts";
import type { Timed } from "./entries.ts";

/** The manager that the oldest updates are folded into. */
export const ANCIENT = "ancient-changes";

/**
 * Folds the oldest updates into one entry per version until there are at most `limit` update entries (DEC-14).
 *
 * Appliers are never folded. The oldest of a version only gives way when there is a second one to fold it with, so an
 * object that was written in many versions may keep more.
 */
export function capUpdates({ managers, times }: Timed, limit: number): Timed {
  const updates = [...managers.keys()].filter((key) => !managers.get(key)!.applied);
  if (updates.length <= limit) return { managers, times };
  updates.sort((a, b) => compareTimes(times.get(a), times.get(b)) || compareText(a, b));
  const left = new Map(managers);
  const parts: Parts = new Map();
  const leftTimes = new Map(times);
  const firstOf = new Map<string, string>();
  let count = updates.length;
  for (const key of updates) {
    if (count <= limit) break;
    const owned = left.get(key);
    // The bucket has been made of this one already.
    if (owned === undefined) continue;
    const version = owned.apiVersion;
    const bucket = bucketKey(version);
    const first = firstOf.get(version);
    if (first === undefined) {
      firstOf.set(version, key);
      continue;
    }
    fold(left, parts, bucket, first, key);
    leftTimes.set(bucket, times.get(key));
    count--;
  }
  for (const [bucket, sets] of parts) left.set(bucket, { ...left.get(bucket)!, set: unionAll(sets) });
  return { managers: left, times: leftTimes };
}

/** The sets that a bucket is made of; they are united once, at the end, however many there are. */
type Parts = Map<string, FieldSet[]>;

const bucketKey = (apiVersion: string): string =>
  managerKey({ manager: ANCIENT, operation: "Update", apiVersion, subresource: "" });

/** Puts a manager into the bucket of its version; while there is no bucket, it is made of the oldest manager. */
function fold(left: Map<string, Owned>, parts: Parts, bucket: string, oldest: string, key: string): void {
  const present = left.has(bucket) && key !== bucket ? bucket : oldest;
  const owned = left.get(key)!;
  const sets = parts.get(present) ?? [left.get(present)!.set];
  for (const set of parts.get(key) ?? [owned.set]) sets.push(set);
  for (const gone of [present, key]) {
    left.delete(gone);
    parts.delete(gone);
  }
  left.set(bucket, owned);
  parts.set(bucket, sets);
}
