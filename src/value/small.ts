import { JsonNumber } from "./value.ts";

/** What has so few members, all that is in it taken together, takes well under a millisecond to walk. */
const SMALL = 500;

/**
 * Whether a value has few members, all that is in it taken together, so that it may be worked on at once instead of in
 * steps; of a large one no more than a few are looked at.
 */
export const isSmall = (value: unknown): boolean => membersLeft(value, SMALL) >= 0;

/** What is left of `most` when the members of a value are taken off; below 0 once there are too many. */
function membersLeft(value: unknown, most: number): number {
  if (typeof value !== "object" || value === null || value instanceof JsonNumber) return most;
  let left = most;
  for (const key in value) {
    left = membersLeft((value as Readonly<Record<string, unknown>>)[key], left - 1);
    if (left < 0) break;
  }
  return left;
}
