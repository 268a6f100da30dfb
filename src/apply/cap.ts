import { compareText, unionAll } from "./fieldpath/index.ts";
import type { FieldSet } from "./fieldpath/index.ts";
import type { Owned } from "./merge/index.ts";
import { compareTimes, managerKey } from "./entries.ts";
import type { TimedManagers } from "./entries.ts";

/** The manager that replaces the oldest updates. */
export const ANCIENT = "ancient-changes";

/**
 * Merges the oldest updates into one entry per version until there are at most `limit` update entries (DEC-14).
 *
 * Appliers are never merged. The oldest update of a version is merged only with another one of that version, so an object
 * that was written in many versions may keep more.
 */
export function capUpdates({ managers, times }: TimedManagers, limit: number): TimedManagers {
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
    // It is in the bucket already.
    if (owned === undefined) continue;
    const version = owned.apiVersion;
    const bucket = bucketKey(version);
    const first = firstOf.get(version);
    if (first === undefined) {
      firstOf.set(version, key);
      continue;
    }
    addToBucket(left, parts, bucket, first, key);
    leftTimes.set(bucket, times.get(key));
    count--;
  }
  for (const [bucket, sets] of parts) left.set(bucket, { ...left.get(bucket)!, set: unionAll(sets) });
  return { managers: left, times: leftTimes };
}

/** The sets of a bucket; they are united once, at the end. */
type Parts = Map<string, FieldSet[]>;

const bucketKey = (apiVersion: string): string =>
  managerKey({ manager: ANCIENT, operation: "Update", apiVersion, subresource: "" });

/** Adds a manager to the bucket of its version; the first bucket starts with the oldest manager. */
function addToBucket(left: Map<string, Owned>, parts: Parts, bucket: string, oldest: string, key: string): void {
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
