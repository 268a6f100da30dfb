import type { Value } from "../../value/value.ts";
import type { ScalarType } from "../schema/schema.ts";

/** Whether two different scalars of a type mean the same, as `1Gi` and `1024Mi` do (DEC-9). */
export type ScalarEqual = (type: ScalarType, a: Value, b: Value) => boolean;

/**
 * Whether two values are the same JSON, members in any order.
 *
 * Every update calls it for nearly every part of the object, so it allocates nothing. Members of the prototype never
 * equal a JSON value.
 */
export function sameValue(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && sameList(a, b);
  if (Array.isArray(b)) return false;
  let extra = 0;
  for (const key in a) {
    const x = a[key]!;
    const y = b[key];
    if (x !== y && (y === undefined || !Object.hasOwn(b, key) || !sameValue(x, y))) return false;
    extra--;
  }
  for (const _ in b) extra++;
  return extra === 0;
}

/** {@link sameValue} for two lists. */
export function sameList(a: readonly Value[], b: readonly Value[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) {
    if (!sameValue(a[i]!, b[i]!)) return false;
  }
  return true;
}
