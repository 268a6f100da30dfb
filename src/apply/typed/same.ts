import type { Value } from "../../value/value.ts";
import type { ScalarType } from "../schema/schema.ts";

/** Whether two different scalars of a type mean the same, as `1Gi` and `1024Mi` do (DEC-9). Asked for unequal ones only. */
export type ScalarEqual = (type: ScalarType, a: Value, b: Value) => boolean;

/**
 * Whether two values are the same JSON, members in any order.
 *
 * Every update asks this of nearly every part of the object, so it allocates nothing. What the prototype has never
 * equals a JSON value; only a value that both sides lack needs the question whether it is there at all.
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

function sameList(a: readonly Value[], b: readonly Value[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) {
    if (!sameValue(a[i]!, b[i]!)) return false;
  }
  return true;
}
