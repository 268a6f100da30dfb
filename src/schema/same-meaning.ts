/**
 * Semantic equality of two values of a schema, as in `equality.Semantic` of apimachinery: quantities are compared by value,
 * and an empty list or map equals an absent one.
 *
 * @module
 */
import { type Field, type JsonSchema, type Type, typeOf } from "../apply/schema/schema.ts";
import { compareQuantities, parseQuantity } from "../meta/quantity.ts";
import type { TSchema } from "../meta/types.ts";
import { type Value, equal } from "../value/value.ts";

/** Whether two values of a schema, in wire form or absent, mean the same. */
export function sameMeaning(schema: TSchema, a: unknown, b: unknown): boolean {
  return equal(a as Value | undefined, b as Value | undefined) || same(typeOf(schema as JsonSchema), a, b);
}

function same(type: Type, a: unknown, b: unknown): boolean {
  switch (type.kind) {
    case "scalar":
      return type.format === "quantity" ? sameAmount(a, b) : sameValue(a, b);
    case "any":
      return sameValue(a, b);
    case "list": {
      const [left, right] = [(a ?? []) as readonly unknown[], (b ?? []) as readonly unknown[]];
      return left.length === right.length && left.every((item, i) => same(type.item, item, right[i]));
    }
    case "map":
      return sameMembers(a, b, () => type.item);
    case "struct":
      // A struct that is absent is not an empty one.
      return a && b ? sameMembers(a, b, (name) => typeOfField(type.fields.get(name))) : sameValue(a, b);
  }
}

function sameMembers(a: unknown, b: unknown, typeOfMember: (name: string) => Type): boolean {
  const [left, right] = [(a ?? {}) as Record<string, unknown>, (b ?? {}) as Record<string, unknown>];
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...names].every((name) => same(typeOfMember(name), left[name], right[name]));
}

const ANY: Type = { kind: "any", schema: {} };
const typeOfField = (field: Field | undefined): Type => field?.type ?? ANY;

const sameValue = (a: unknown, b: unknown): boolean => equal(a as Value | undefined, b as Value | undefined);

function sameAmount(a: unknown, b: unknown): boolean {
  const isQuantity = (value: unknown): value is string =>
    typeof value === "string" && parseQuantity(value) !== undefined;
  return isQuantity(a) && isQuantity(b) ? compareQuantities(a, b) === 0 : sameValue(a, b);
}
