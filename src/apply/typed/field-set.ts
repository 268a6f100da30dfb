import { isContainer, isObject } from "../../value/value.ts";
import type { Value, ValueObject } from "../../value/value.ts";
import { EMPTY, fieldElement, isEmpty, SELF } from "../fieldpath/index.ts";
import type { FieldSet, MutableSet, PathElement } from "../fieldpath/index.ts";
import type { AnyType, ListType, MapType, StructType, Type } from "../schema/schema.ts";
import { elementOrNone, memberType } from "./items.ts";
import { inOrder } from "./whole-set.ts";

/**
 * The paths that a value says something about: what an applier owns of the intent it sends (MARK-2..12).
 *
 * Scalars and atomic parts are paths; so are entries of lists and of maps, and containers that are empty or null. A
 * struct that has members is none, only its members are. Duplicates count as one path with nothing below it.
 */
export function toFieldSet(type: Type, value: Value): FieldSet {
  return below(type, value, false) ?? EMPTY;
}

/** Whether a value of a struct field is a path, or has some in it: not so are empty lists that are merged by entry. */
export function saysSomething(type: Type, value: Value): boolean {
  if (!isContainer(value)) return true;
  if (Array.isArray(value)) return value.length > 0 || type.kind !== "list" || type.merge === "atomic";
  if (type.kind !== "struct" || type.atomic) return true;
  let empty = true;
  for (const key in value) {
    empty = false;
    const field = type.fields.get(key);
    if (field === undefined || saysSomething(field.type, value[key]!)) return true;
  }
  return empty;
}

/** What a walk finds at a place: the node below it, or undefined when the place itself is the path. */
type Found = MutableSet | undefined;

/** @param always whether the place is a path whatever is in it; its node then says so first, as the tree does */
function below(type: Type, value: Value, always: boolean): Found {
  switch (type.kind) {
    case "scalar":
      return undefined;
    case "struct":
    case "map":
      return type.atomic ? undefined : members(type, value, always);
    case "list":
      return type.merge === "atomic" ? undefined : items(type, value, always);
    case "any":
      return members(type, value, always);
  }
}

const begin = (always: boolean): MutableSet => (always ? { [SELF]: EMPTY } : {});

function members(type: StructType | MapType | AnyType, value: Value, always: boolean): Found {
  if (!isObject(value)) return undefined;
  let found: MutableSet | undefined;
  for (const key of inOrder(Object.keys(value))) {
    const item = value[key]!;
    const declared = type.kind === "struct" && type.fields.has(key);
    const node = place(memberType(type, key), item, !declared);
    if (node !== undefined) (found ??= begin(always))[fieldElement(key)] = node;
  }
  return found ?? (isVoid(value) ? undefined : {});
}

const isVoid = (object: ValueObject): boolean => {
  for (const _ in object) return false;
  return true;
};

/** The node of a member. An empty list that is merged by entry says nothing, unless the member is one of a map. */
function place(type: Type, value: Value, always: boolean): FieldSet | undefined {
  const node = below(type, value, always);
  if (node === undefined) {
    const silent = type.kind === "list" && type.merge !== "atomic" && value !== null;
    return silent && !always ? undefined : EMPTY;
  }
  if (isEmpty(node)) return always ? EMPTY : undefined;
  return node;
}

function items(type: ListType, value: Value, always: boolean): Found {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  let found: MutableSet | undefined;
  const twice = new Set<PathElement>();
  for (const item of value) {
    const element = elementOrNone(type, item);
    if (element === undefined || twice.has(element)) continue;
    found ??= begin(always);
    if (found[element] === undefined) {
      found[element] = place(type.item, item, true) ?? EMPTY;
    } else {
      twice.add(element);
      found[element] = EMPTY;
    }
  }
  return found ?? {};
}
