/**
 * JSON values, as the rest of the house passes them around.
 *
 * A value is what `JSON.parse` gives: plain objects, arrays, strings, finite numbers, booleans, null. Values that came
 * out of storage or out of a cache are shared and must not be written to; copy first.
 *
 * Keys are data. `__proto__` and `constructor` are legal keys of a ConfigMap, so never copy members with `to[key] = v`
 * when `key` is not known; use {@link setMember}.
 *
 * @module
 */

/** Any JSON value. */
export type Value = null | boolean | number | string | Value[] | ValueObject;

/** A JSON object: an own-property bag, whatever its keys are called. */
export interface ValueObject {
  [key: string]: Value;
}

/** Whether `value` is a JSON object (neither an array nor null). */
export function isObject(value: unknown): value is ValueObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Sets an own member, also one called `__proto__`. */
export function setMember(object: object, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    (object as Record<string, unknown>)[key] = value;
  }
}

/** Reads an own member; what the prototype has is not there. */
export function getMember(object: ValueObject, key: string): Value | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** A deep copy. */
export function clone<T extends Value>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(clone) as T;
  const copy: ValueObject = {};
  for (const key of Object.keys(value)) setMember(copy, key, clone((value as ValueObject)[key]!));
  return copy as T;
}

/** Whether two values are the same JSON: members in any order, elements in the same order. */
export function equal(a: Value | undefined, b: Value | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null || !a || !b) return false;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((x, i) => equal(x, b[i]));
  }
  if (Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && equal(a[key], b[key]));
}
