import { isContainer, type Value } from "./value.ts";

/** What has so few members, all that is in it taken together, takes a millisecond to walk. */
const SMALL = 2000;

/**
 * Whether a value has few members, all that is in it taken together, so that it may be worked on at once instead of in
 * steps; of a large one no more than a few are looked at.
 */
export const isSmall = (value: unknown): boolean =>
  !isContainer(value as Value) || membersLeft(value as Container, SMALL) >= 0;

type Container = Extract<Value, object>;

/** What is left of `most` when the members of a value are taken off; below 0 once there are too many. */
function membersLeft(value: Container, most: number): number {
  if (Array.isArray(value)) {
    let left = most - value.length;
    for (const member of value) {
      if (left < 0) break;
      if (isContainer(member)) left = membersLeft(member, left);
    }
    return left;
  }
  let left = most;
  for (const key in value) {
    const member = value[key];
    left--;
    if (isContainer(member)) left = membersLeft(member, left);
    if (left < 0) break;
  }
  return left;
}
