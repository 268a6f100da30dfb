import { EMPTY, hasChildren, isMember, SELF } from "../fieldpath/index.ts";
import type { FieldSet, MutableSet } from "../fieldpath/index.ts";
import type { Type } from "../schema/schema.ts";
import { elementType, fieldOf } from "./items.ts";

/**
 * Adapts a set that was recorded under an older schema to the current one; returns the same set when it fits.
 *
 * If a list, map or struct has become atomic, the owners of it or of any part own the whole (TOPO-1, AMB-34). If it was
 * atomic and is granular now, the owner keeps the container and none of its parts, so any manager may apply those
 * without a conflict (TOPO-2, TOPO-4). Values without a schema have no markers that could change.
 */
export function reconcileSet(type: Type, set: FieldSet): FieldSet {
  return reconcile(type, set, true);
}

function reconcile(type: Type, node: FieldSet, root = false): FieldSet {
  switch (type.kind) {
    case "scalar":
    case "any":
      return node;
    case "list":
      return type.merge === "atomic" ? whole(node) : mapChildren(type, node);
    case "struct":
    case "map":
      return type.atomic && !root ? whole(node) : mapChildren(type, node);
  }
}

const whole = (node: FieldSet): FieldSet => (hasChildren(node) ? EMPTY : node);

function mapChildren(type: Type, node: FieldSet): FieldSet {
  let copy: MutableSet | undefined;
  for (const element in node) {
    if (element === SELF) continue;
    const child = node[element]!;
    const known = type.kind !== "struct" || type.open || fieldOf(type, element.slice(2)) !== undefined;
    const fitted = known ? reconcile(elementType(type, element), child) : child;
    if (fitted !== child) (copy ??= { ...node })[element] = fitted;
  }
  return copy ?? node;
}

/**
 * The set with every struct field on the way to one of its paths.
 *
 * A struct that has members is not a path (see {@link toFieldSet}). Removal treats it as one, so that a struct that
 * loses all of its members is removed as well. Map keys and list entries stay as they are.
 */
export function ensureFields(type: Type, set: FieldSet): FieldSet {
  let copy: MutableSet | undefined;
  for (const element in set) {
    if (element === SELF) continue;
    const child = set[element]!;
    if (!hasChildren(child)) continue;
    let ensured = ensureFields(elementType(type, element), child);
    if (element.startsWith("f:") && fieldOf(type, element.slice(2)) !== undefined && !isMember(ensured)) {
      ensured = { ...ensured, [SELF]: EMPTY };
    }
    if (ensured !== child) (copy ??= { ...set })[element] = ensured;
  }
  return copy ?? set;
}
