/**
 * The set of a value that was added: itself and all that is in it.
 *
 * It is the result of a comparison with nothing, without the comparison. Members of nodes are sorted by the code units of
 * their names, which is nearly always the order of `fieldsV1`.
 *
 * @module
 */
import { isContainer, isObject } from "../../value/value.ts";
import type { Value } from "../../value/value.ts";
import { EMPTY, fieldElement, SELF } from "../fieldpath/index.ts";
import type { FieldSet, MutableSet, PathElement } from "../fieldpath/index.ts";
import type { AnyType, ListType, MapType, StructType, Type } from "../schema/schema.ts";
import { elementOrNone, memberType } from "./items.ts";

/** The node of an added value: its path, and those below it that can have owners of their own. */
export function wholeNode(type: Type, value: Value): FieldSet {
  if (!isContainer(value)) return EMPTY;
  switch (type.kind) {
    case "scalar":
      return EMPTY;
    case "struct":
    case "map":
      return type.atomic ? EMPTY : membersNode(type, value);
    case "list":
      return type.merge === "atomic" ? EMPTY : itemsNode(type, value);
    case "any":
      return membersNode(type, value);
  }
}

function membersNode(type: StructType | MapType | AnyType, value: Value): FieldSet {
  if (!isObject(value)) return EMPTY;
  const names = Object.keys(value);
  if (names.length === 0) return EMPTY;
  const node: MutableSet = { [SELF]: EMPTY };
  for (const name of inOrder(names)) node[fieldElement(name)] = wholeNode(memberType(type, name), value[name]!);
  return node;
}

/** Sorts names in place if they are not sorted. */
export function inOrder(names: string[]): readonly string[] {
  for (let i = 1; i < names.length; i++) if (names[i - 1]! > names[i]!) return names.sort();
  return names;
}

/** Entries of the same key are one path with nothing below it; those without a key have no owner. */
function itemsNode(type: ListType, value: Value): FieldSet {
  if (!Array.isArray(value) || value.length === 0) return EMPTY;
  let node: MutableSet | undefined;
  const duplicates = new Set<PathElement>();
  for (const item of value) {
    const element = elementOrNone(type, item);
    if (element === undefined || duplicates.has(element)) continue;
    node ??= { [SELF]: EMPTY };
    if (node[element] === undefined) {
      node[element] = wholeNode(type.item, item);
    } else {
      duplicates.add(element);
      node[element] = EMPTY;
    }
  }
  return node ?? EMPTY;
}
