import { isObject, asJsonNumber } from "../../value/value.ts";
import type { Value } from "../../value/value.ts";
import { compareText, keyElement, valueElement } from "../fieldpath/index.ts";
import type { PathElement } from "../fieldpath/index.ts";
import type { AnyType, Field, ListType, MapType, StructType, Type } from "../schema/schema.ts";

/** The type of what a schema does not describe: members of open structs, and all below a free value. */
export const ANY: AnyType = { kind: "any", schema: {} };

/** The type of a member of a struct, map or free object. */
export function memberType(type: StructType | MapType | AnyType, name: string): Type {
  switch (type.kind) {
    case "struct":
      return type.fields.get(name)?.type ?? ANY;
    case "map":
      return type.item;
    case "any":
      return ANY;
  }
}

/** The declared field of a struct; undefined for other types and other names. */
export const fieldOf = (type: Type, name: string): Field | undefined =>
  type.kind === "struct" ? type.fields.get(name) : undefined;

/** The type of the child at an element of a path; ANY when the element does not fit the type. */
export function elementType(type: Type, element: PathElement): Type {
  if (element.startsWith("f:")) {
    return type.kind === "scalar" || type.kind === "list" ? ANY : memberType(type, element.slice(2));
  }
  return type.kind === "list" ? type.item : ANY;
}

/** How to build the element of a keyed list entry: its key fields sorted by name, each with its default. */
interface KeyPlan {
  readonly names: readonly string[];
  readonly defaults: readonly (Value | undefined)[];
  /**
   * A cache of elements of lists with one text key, by that text: names repeat with every object of a kind, and a string
   * that has been a property name before is looked up faster than a new one. A full cache is cleared.
   */
  readonly named: Map<string, PathElement>;
}

const MAX_CACHED_NAMES = 1024;

const plans = new WeakMap<ListType, KeyPlan>();

function keyPlan(type: ListType): KeyPlan {
  let plan = plans.get(type);
  if (plan === undefined) {
    const names = type.keys.toSorted(compareText);
    const defaults = names.map((name) => (fieldOf(type.item, name)?.keyDefault ?? undefined) as Value | undefined);
    plan = { names, defaults, named: new Map() };
    plans.set(type, plan);
  }
  return plan;
}

/** Why an entry of a set or keyed list has no identity. */
export interface NoElement {
  readonly problem: string;
}

/**
 * The path element of an entry of a `set` or `map` list (MARK-3, MARK-4), or why there is none.
 *
 * An absent key field counts with its default; without a default it is no part of the key, as long as another one is.
 */
export function listElement(type: ListType, item: Value): PathElement | NoElement {
  if (type.merge === "set") return setElement(item);
  if (!isObject(item)) return { problem: `expected an entry of a keyed list to be an object, got ${describe(item)}` };
  const plan = keyPlan(type);
  const { names, defaults } = plan;
  if (names.length === 1) {
    const value = item[names[0]!];
    if (typeof value === "string") return namedElement(plan, value);
  }
  const present: string[] = [];
  const values: Value[] = [];
  for (let i = 0; i < names.length; i++) {
    const name = names[i]!;
    const value = Object.hasOwn(item, name) ? item[name] : defaults[i];
    if (value === undefined) continue;
    present.push(name);
    values.push(value);
  }
  if (present.length > 0) return keyElement(present, values);
  return { problem: `expected an entry to have at least one of the key fields ${type.keys.join(", ")}, got none` };
}

function namedElement({ names, named }: KeyPlan, value: string): PathElement {
  let element = named.get(value);
  if (element === undefined) {
    element = keyElement(names, [value]);
    if (named.size >= MAX_CACHED_NAMES) named.clear();
    named.set(value, element);
  }
  return element;
}

function setElement(item: Value): PathElement | NoElement {
  if (typeof item === "object" && !asJsonNumber(item))
    return { problem: `expected an element of a set to be a scalar, got ${describe(item)}` };
  return valueElement(item);
}

/** The JSON type of a value, for messages: the value itself may be secret. */
export function describe(value: Value): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (isObject(value)) return "an object";
  return typeof value === "string" ? "a text" : typeof value === "boolean" ? "true or false" : "a number";
}

/** The elements of all entries of a list, and which of them repeat. */
export function elementsOf(
  type: ListType,
  list: readonly Value[],
): { readonly elements: readonly (PathElement | undefined)[]; readonly duplicates: ReadonlySet<PathElement> } {
  const seen = new Set<PathElement>();
  const duplicates = new Set<PathElement>();
  const elements = list.map((item) => {
    const element = elementOrNone(type, item);
    if (element === undefined) return undefined;
    if (seen.has(element)) duplicates.add(element);
    else seen.add(element);
    return element;
  });
  return { elements, duplicates };
}

/** {@link listElement}, or undefined for an entry without identity, which has no owner. */
export function elementOrNone(type: ListType, item: Value): PathElement | undefined {
  const element = listElement(type, item);
  return typeof element === "string" ? element : undefined;
}
