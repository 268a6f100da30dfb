/**
 * JSON merge patch (RFC 7386): a patch that looks like the object, in which null removes.
 *
 * @module
 */

import { getMember, isObject, setMember, type Value, type ValueObject } from "../value/value.ts";

/**
 * Applies a merge patch. Neither argument is modified; the result shares what did not change with the target, and what
 * is new with the patch.
 *
 * Objects are merged, anything else replaces. A null removes the member; nulls inside an object that is new are dropped.
 *
 * @param pruned whether they are also dropped inside objects of a list, unless that takes the place of an object: so does
 *   Kubernetes, RFC 7386 does not
 */
export function applyMergePatch(target: Value | undefined, patch: Value, pruned = false): Value {
  if (Array.isArray(patch) && pruned && !isObject(target))
    return patch.map((item) => (item === null ? item : applyMergePatch(undefined, item, true)));
  if (!isObject(patch)) return patch;
  const base = isObject(target) ? target : undefined;
  let merged: ValueObject | undefined;
  for (const key of Object.keys(patch)) {
    const before = base && getMember(base, key);
    const given = patch[key]!;
    const after = given === null ? undefined : applyMergePatch(before, given, pruned);
    if (after === before) continue;
    merged ??= { ...base };
    if (after === undefined) delete merged[key];
    else setMember(merged, key, after);
  }
  return merged ?? base ?? {};
}
