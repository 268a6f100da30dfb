import { isEmpty, recursiveDifference } from "./set.ts";
import type { FieldSet } from "./set.ts";

/** Returns the paths of a set that it keeps. */
export type Filter = (set: FieldSet) => FieldSet;

/** Drops the paths of `excluded` and everything below them: the fields that a (sub)resource resets on every write. */
export const excludeFilter =
  (excluded: FieldSet): Filter =>
  (set) =>
    isEmpty(excluded) ? set : recursiveDifference(set, excluded);
