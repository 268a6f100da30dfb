import { textBytes } from "../util/bounded-cache.ts";
import type { Identity } from "./contract.ts";

/** The number of characters of the user name and the groups. */
export const identityLength = ({ user, groups }: Identity): number =>
  groups.reduce((sum, { length }) => sum + length, user.length);

/** A unique text for user name and groups: names may contain anything, so each has its length in front. */
export function identityKey({ user, groups }: Identity): string {
  let key = `${user.length}:${user}`;
  for (const group of groups) key += `${group.length}:${group}`;
  return key;
}

/** The largest size of an identity in memory, in bytes. */
export function identityBytes({ user, uid = "", groups, extra = {}, auditAnnotations = {} }: Identity): number {
  const texts = [user, uid, ...groups, ...Object.entries(extra).flat(2), ...Object.entries(auditAnnotations).flat()];
  return texts.reduce((sum, text) => sum + textBytes(text), 512);
}
