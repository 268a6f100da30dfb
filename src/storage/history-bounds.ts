import type { HistoryBounds, StoredVersion } from "./contract.ts";

/** How many versions, newest first, are within the bounds; when all of them are, there may be more. */
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
