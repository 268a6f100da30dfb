/**
 * JSON merge patch (RFC 7386): a patch in the form of the object, in which null removes a member.
 *
 * @module
 */

import { getMember, isObject, setMember, type Value, type ValueObject } from "../value/value.ts";

/**
 * Applies a merge patch. Changes neither argument; the result shares unchanged parts with the target and new parts with the
 * patch. Objects are merged, other values replace. Nulls inside new objects are dropped.
 *
 * @param pruned drop nulls also in objects of a list, unless the list replaces an object: as Kubernetes, not as RFC 7386
 */
export function applyMergePatch(target: Value | undefined, patch: Value, pruned = false): Value {
  if (Array.isArray(patch) && pruned && !isObject(target))
    return patch.map((item) => (item === null ? item : applyMergePatch(undefined, item, true)));
  if (!isObject(patch)) return patch;
  const base = isObject(target) ? target : undefined;
  let merged: ValueObject | undefined;
  for (const key of Object.keys(patch)) {
    const before = base && getMember(base, key);
    const value = patch[key]!;
    const after = value === null ? undefined : applyMergePatch(before, value, pruned);
    if (after === before) continue;
    merged ??= { ...base };
    if (after === undefined) delete merged[key];
    else setMember(merged, key, after);
  }
  return merged ?? base ?? {};
}
