import { isContainer, type Value } from "./value.ts";

/** A walk over so many members, at all levels, takes a millisecond. */
const MAX_SMALL_MEMBERS = 2000;

/** Whether a value has few members at all levels, so that work on it needs no steps; of a large one only some are counted. */
export const isSmall = (value: unknown): boolean => !isContainer(value) || membersLeft(value, MAX_SMALL_MEMBERS) >= 0;

/** Subtracts the number of the members of a value from `max`; stops below 0. */
function membersLeft(value: Extract<Value, object>, max: number): number {
  if (Array.isArray(value)) {
    let left = max - value.length;
    for (const member of value) {
      if (left < 0) break;
      if (isContainer(member)) left = membersLeft(member, left);
    }
    return left;
  }
  let left = max;
  for (const key in value) {
    const member = value[key];
    left--;
    if (isContainer(member)) left = membersLeft(member, left);
    if (left < 0) break;
  }
  return left;
}
