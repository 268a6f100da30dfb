/** What has so few members, all that is in it taken together, takes well under a millisecond to walk. */
const SMALL = 500;

/**
 * Whether a value has few members, all that is in it taken together, so that it may be worked on at once instead of in
 * steps; of a large one no more than a few are looked at.
 */
export const isSmall = (value: unknown): boolean => !isContainer(value) || membersLeft(value, SMALL) >= 0;

const isContainer = (value: unknown): value is object => typeof value === "object" && value !== null;

/** What is left of `most` when the members of a value are taken off; below 0 once there are too many. */
function membersLeft(value: object, most: number): number {
  if (Array.isArray(value)) {
    let left = most - value.length;
    for (let i = 0; left >= 0 && i < value.length; i++) if (isContainer(value[i])) left = membersLeft(value[i], left);
    return left;
  }
  let left = most;
  for (const key in value) {
    const member = (value as Readonly<Record<string, unknown>>)[key];
    left--;
    if (isContainer(member)) left = membersLeft(member, left);
    if (left < 0) break;
  }
  return left;
}
