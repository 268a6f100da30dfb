import type { HistoryBounds, StoredVersion } from "./contract.ts";

/** How many versions, newest first, are within the bounds; when all of them are, there may be more. */
export function countWithin(
  versions: readonly Pick<StoredVersion, "value">[],
  { limit = Infinity, bytes = Infinity }: HistoryBounds,
): number {
  let sum = 0;
  for (const [count, { value }] of versions.entries()) {
    if (count >= limit || (sum >= bytes && count >= 2)) return count;
    sum += value.length;
  }
  return versions.length;
}
