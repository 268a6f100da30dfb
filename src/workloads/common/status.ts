/** What the statuses of all workloads share: counts, and whether a status has changed. */
import { canonicalJson } from "../../value/canonical.ts";
import type { Value } from "../../value/value.ts";

/** Returns a count as a member of a status; a count that is not above 0 is absent. */
export const counted = (member: string, count = 0): object => (count > 0 ? { [member]: count } : {});

/** Whether two statuses are equal, whatever the order of their members. */
export const isSameStatus = (a: object, b: object): boolean =>
  a === b || canonicalJson(a as Value) === canonicalJson(b as Value);

/** Whether two statuses have the same values of some members; an absent one counts as 0. */
export const areSameIn = <T extends object>(members: readonly (keyof T)[], a: T, b: T): boolean =>
  members.every((member) => (a[member] ?? 0) === (b[member] ?? 0));
