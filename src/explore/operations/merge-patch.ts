import { equal, isObject, setMember, type Value, type ValueObject } from "../../value/value.ts";

/**
 * Returns the merge patch (RFC 7386) that makes one object of another; undefined where none does, since members of the new
 * object are null.
 */
export function mergePatchOf(before: ValueObject, after: ValueObject): ValueObject | undefined {
  const patch: ValueObject = {};
  for (const name of Object.keys(before)) if (!Object.hasOwn(after, name)) setMember(patch, name, null);
  for (const [name, value] of Object.entries(after)) {
    const was: Value | undefined = Object.hasOwn(before, name) ? before[name] : undefined;
    if (was !== undefined && equal(was, value)) continue;
    // An object in the place of nothing is merged into an empty one.
    const part = isObject(value) ? mergePatchOf(isObject(was) ? was : {}, value) : value;
    if (part === undefined || part === null) return undefined;
    setMember(patch, name, part);
  }
  return patch;
}
