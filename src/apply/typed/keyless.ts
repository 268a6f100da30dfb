/**
 * Entries of keyed lists without any key: an object that has one cannot be divided into fields with owners.
 *
 * Few types allow them: each key field must be a member that is left out when it is empty and has no default. The
 * search is compiled once for each type; most types need none.
 *
 * @module
 */
import { isObject } from "../../value/value.ts";
import type { Value } from "../../value/value.ts";
import type { ListType, Type } from "../schema/schema.ts";
import { elementOrNone, fieldOf } from "./items.ts";

/** Whether a keyed list in a value has an entry without a key. */
type Search = (value: Value) => boolean;

const known = new WeakMap<Type, Search | undefined>();

/** Whether a keyed list of structs in a value has an entry without any of its keys. */
export function hasKeyless(type: Type, value: Value): boolean {
  if (!known.has(type)) known.set(type, searchOf(type, new Set()));
  return known.get(type)?.(value) ?? false;
}

/** The search in values of a type; undefined where none can have such an entry. A type that contains itself is followed once. */
function searchOf(type: Type, within: Set<Type>): Search | undefined {
  if (within.has(type) || type.kind === "scalar" || type.kind === "any") return undefined;
  within.add(type);
  const search = type.kind === "list" ? inList(type, within) : inMembers(type, within);
  within.delete(type);
  return search;
}

function inList(type: ListType, within: Set<Type>): Search | undefined {
  if (type.merge === "atomic") return undefined;
  const below = searchOf(type.item, within);
  const mayLackKeys = type.merge === "map" && type.keys.every((key) => mayBeLeftOut(type, key));
  if (!mayLackKeys && !below) return undefined;
  return (value) =>
    Array.isArray(value) &&
    value.some((item) => (mayLackKeys && elementOrNone(type, item) === undefined) || below?.(item) === true);
}

function mayBeLeftOut(type: ListType, key: string): boolean {
  const field = fieldOf(type.item, key);
  return field?.presence === "omitEmpty" && field.keyDefault === undefined;
}

function inMembers(type: Exclude<Type, { kind: "scalar" | "any" | "list" }>, within: Set<Type>): Search | undefined {
  if (type.atomic) return undefined;
  if (type.kind === "map") {
    const below = searchOf(type.item, within);
    return below && ((value) => isObject(value) && Object.values(value).some(below));
  }
  const searches = [...type.fields].flatMap(([name, field]) => {
    const below = searchOf(field.type, within);
    return below ? [[name, below] as const] : [];
  });
  if (searches.length === 0) return undefined;
  return (value) =>
    isObject(value) && searches.some(([name, below]) => Object.hasOwn(value, name) && below(value[name]!));
}
