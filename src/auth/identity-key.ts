import { textBytes } from "../util/bounded-cache.ts";
import type { Identity } from "./contract.ts";

/** How many characters the user and the groups of somebody have. */
export const identityLength = ({ user, groups }: Identity): number =>
  groups.reduce((sum, { length }) => sum + length, user.length);

/** User and groups as one text. Names may hold anything: a length in front of each keeps them apart. */
export function identityKey({ user, groups }: Identity): string {
  let key = `${user.length}:${user}`;
  for (const group of groups) key += `${group.length}:${group}`;
  return key;
}

/** What an identity takes in memory at most, in bytes. */
export function identityBytes({ user, uid = "", groups, extra = {}, notes = {} }: Identity): number {
  const texts = [user, uid, ...groups, ...Object.entries(extra).flat(2), ...Object.entries(notes).flat()];
  return texts.reduce((sum, text) => sum + textBytes(text), 512);
}
