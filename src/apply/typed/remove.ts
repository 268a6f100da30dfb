import { setMember, isContainer, isObject } from "../../value/value.ts";
import type { Value, ValueObject } from "../../value/value.ts";
import { childOf, fieldElement, hasChildren, isEmpty, isMember } from "../fieldpath/index.ts";
import type { FieldSet } from "../fieldpath/index.ts";
import type { AnyType, ListType, MapType, StructType, Type } from "../schema/schema.ts";
import { elementOrNone, memberType } from "./items.ts";

/**
 * The value without the paths of a set.
 *
 * A container that loses its last entry becomes null: it was not itself in the set. So does an atomic container of
 * which the set has a part. The value is not changed; the result shares what stays.
 */
export function removeItems(type: Type, value: Value, items: FieldSet): Value {
  if (isEmpty(items)) return value;
  switch (type.kind) {
    case "scalar":
      return value;
    case "struct":
    case "map":
      return type.atomic ? null : removeMembers(type, value, items);
    case "list":
      return type.merge === "atomic" ? null : removeEntries(type, value, items);
    case "any":
      if (Array.isArray(value)) return null;
      return isContainer(value) || value === null ? removeMembers(type, value, items) : value;
  }
}

function removeMembers(type: StructType | MapType | AnyType, value: Value, items: FieldSet): Value {
  if (!isObject(value)) return null;
  const left: ValueObject = {};
  let empty = true;
  let same = true;
  for (const key in value) {
    const node = childOf(items, fieldElement(key));
    if (node !== undefined && isMember(node)) {
      same = false;
      continue;
    }
    const item = value[key]!;
    const kept = node === undefined ? item : removeItems(memberType(type, key), item, node);
    if (kept !== item) same = false;
    setMember(left, key, kept);
    empty = false;
  }
  if (empty) return null;
  return same ? value : left;
}

function removeEntries(type: ListType, value: Value, items: FieldSet): Value {
  if (!Array.isArray(value)) return null;
  const left: Value[] = [];
  let same = true;
  for (const item of value) {
    const element = elementOrNone(type, item);
    const node = element === undefined ? undefined : childOf(items, element);
    if (node !== undefined && isMember(node)) {
      same = false;
      continue;
    }
    const kept = node === undefined ? item : removeItems(type.item, item, node);
    if (kept !== item) same = false;
    left.push(kept);
  }
  if (left.length === 0) return null;
  return same ? value : left;
}

/**
 * The paths of a set in a value, with the containers on the way to them; undefined when there are none.
 *
 * A path with nothing below it keeps all of a scalar or atomic value, and an empty container of a granular one. Entries
 * of keyed lists keep their key fields, which identify them.
 */
export function extractItems(type: Type, value: Value, items: FieldSet): Value | undefined {
  switch (type.kind) {
    case "scalar":
      return value;
    case "struct":
    case "map":
      return type.atomic ? value : extractMembers(type, value, items);
    case "list":
      return type.merge === "atomic" ? value : extractEntries(type, value, items);
    case "any":
      return isObject(value) ? extractMembers(type, value, items) : value;
  }
}

function extractMembers(type: StructType | MapType | AnyType, value: Value, items: FieldSet): Value | undefined {
  if (!isObject(value)) return value;
  if (!hasChildren(items)) return {};
  let kept: ValueObject | undefined;
  for (const key in value) {
    const node = childOf(items, fieldElement(key));
    const item = node === undefined ? undefined : extractItems(memberType(type, key), value[key]!, node);
    if (item !== undefined) setMember((kept ??= {}), key, item);
  }
  return kept;
}

function extractEntries(type: ListType, value: Value, items: FieldSet): Value | undefined {
  if (!Array.isArray(value)) return value;
  if (!hasChildren(items)) return [];
  const kept: Value[] = [];
  for (const item of value) {
    const element = elementOrNone(type, item);
    const node = element === undefined ? undefined : childOf(items, element);
    if (node === undefined) continue;
    const part = extractItems(type.item, item, node) ?? {};
    kept.push(isObject(item) && isObject(part) ? withKeys(type, item, part) : part);
  }
  return kept.length > 0 ? kept : undefined;
}

function withKeys(type: ListType, item: ValueObject, part: ValueObject): Value {
  const keyed = { ...part };
  for (const key of type.keys) {
    if (Object.hasOwn(item, key)) setMember(keyed, key, item[key]);
  }
  return keyed;
}
