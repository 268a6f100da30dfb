import { isContainer, isObject } from "../../value/value.ts";
import type { Value, ValueObject } from "../../value/value.ts";
import { EMPTY, fieldElement, isEmpty, SELF } from "../fieldpath/index.ts";
import type { FieldSet, MutableSet, PathElement } from "../fieldpath/index.ts";
import type { AnyType, ListType, MapType, StructType, Type } from "../schema/schema.ts";
import { elementOrNone, memberType } from "./items.ts";
import { inOrder } from "./whole-set.ts";

/**
 * The paths of a value: what an applier owns of the intent that it sends (MARK-2..12).
 *
 * Scalars and atomic parts are paths; so are entries of lists and of maps, and containers that are empty or null. Of a
 * struct that has members, only the members are paths. Duplicates count as one path with nothing below it.
 */
export function toFieldSet(type: Type, value: Value): FieldSet {
  return below(type, value, false) ?? EMPTY;
}

/** Whether the value of a struct field is a path or contains one: empty lists that are merged by entry do not. */
export function hasPaths(type: Type, value: Value): boolean {
  if (!isContainer(value)) return true;
  if (Array.isArray(value)) return value.length > 0 || type.kind !== "list" || type.merge === "atomic";
  if (type.kind !== "struct" || type.atomic) return true;
  let empty = true;
  for (const key in value) {
    empty = false;
    const field = type.fields.get(key);
    if (field === undefined || hasPaths(field.type, value[key]!)) return true;
  }
  return empty;
}

/** The node of a value, or undefined when the value itself is the path. */
type Node = MutableSet | undefined;

/** @param always whether the value is a path whatever is in it; its node then begins with `.`, as in a `fieldsV1` tree */
function below(type: Type, value: Value, always: boolean): Node {
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

function members(type: StructType | MapType | AnyType, value: Value, always: boolean): Node {
  if (!isObject(value)) return undefined;
  let found: MutableSet | undefined;
  for (const key of inOrder(Object.keys(value))) {
    const item = value[key]!;
    const declared = type.kind === "struct" && type.fields.has(key);
    const node = memberNode(memberType(type, key), item, !declared);
    if (node !== undefined) (found ??= begin(always))[fieldElement(key)] = node;
  }
  return found ?? (isVoid(value) ? undefined : {});
}

const isVoid = (object: ValueObject): boolean => {
  for (const _ in object) return false;
  return true;
};

/** The node of a member. An empty list that is merged by entry has none, unless the member is one of a map. */
function memberNode(type: Type, value: Value, always: boolean): FieldSet | undefined {
  const node = below(type, value, always);
  if (node === undefined) {
    const hasNoPath = type.kind === "list" && type.merge !== "atomic" && value !== null;
    return hasNoPath && !always ? undefined : EMPTY;
  }
  if (isEmpty(node)) return always ? EMPTY : undefined;
  return node;
}

function items(type: ListType, value: Value, always: boolean): Node {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  let node: MutableSet | undefined;
  const duplicates = new Set<PathElement>();
  for (const item of value) {
    const element = elementOrNone(type, item);
    if (element === undefined || duplicates.has(element)) continue;
    node ??= begin(always);
    if (node[element] === undefined) {
      node[element] = memberNode(type.item, item, true) ?? EMPTY;
    } else {
      duplicates.add(element);
      node[element] = EMPTY;
    }
  }
  return node ?? {};
}
