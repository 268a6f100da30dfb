import type { HistoryBounds, StoredVersion } from "./contract.ts";

/** How many of some versions, newest first, a bounded history shows; with all of them there may be room for more. */
export function countWithin(
  versions: readonly Pick<StoredVersion, "value">[],
  { limit = Infinity, bytes = Infinity }: HistoryBounds,
): number {
  let count = 0;
  for (let sum = 0; count < versions.length && count < limit && (sum < bytes || count < 2); count++) {
    sum += versions[count]!.value.length;
  }
  return count;
}
