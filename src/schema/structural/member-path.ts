/**
 * Members of members, by their names, outermost first; keys are data.
 *
 * @module
 */
import { type Value, type ValueObject, isObject, setMember } from "../../value/value.ts";

/** The value at a path; undefined where a step is missing or its value is no object. */
export function memberAt(value: Value, steps: readonly string[]): Value | undefined {
  let at: Value | undefined = value;
  for (const step of steps) {
    if (at === undefined || !isObject(at) || !Object.hasOwn(at, step)) return undefined;
    at = at[step];
  }
  return at;
}

/** Sets a value at a path, with the objects on the way to it. Changes `object`; returns false when another value is on the way. */
export function putMember(object: ValueObject, steps: readonly string[], value: Value): boolean {
  let at: ValueObject = object;
  for (const step of steps.slice(0, -1)) {
    const next: Value | undefined = Object.hasOwn(at, step) ? at[step] : undefined;
    if (next !== undefined && next !== null && !isObject(next)) return false;
    // What is on the way may be shared with the stored object.
    const copy: ValueObject = { ...next };
    setMember(at, step, copy);
    at = copy;
  }
  setMember(at, steps.at(-1)!, value);
  return true;
}
