/**
 * The canonical text of a value: equal values have equal texts.
 *
 * @module
 */

import { asJsonNumber, type Value } from "./value.ts";

/** Returns JSON without white space, with members sorted by name (UTF-16 code units) and numbers in their shortest form. */
export function canonicalJson(value: Value): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value === 0 ? 0 : value);
  const number = asJsonNumber(value);
  if (number) return JSON.stringify(number);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const members = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`);
  return `{${members.join(",")}}`;
}
