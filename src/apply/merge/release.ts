/**
 * Removes what an applier released from a merged object, when all managers use one version, which is the common case.
 * The result is that of `prune.ts`, which computes with the sets of whole objects; this file only walks the released paths. A released path
 * is removed unless a manager owns it, together with everything below it, even if unowned. Fields of other managers below a container that
 * a manager owns stay.
 *
 * @module
 */
import { setMember, isContainer } from "../../value/value.ts";
import type { Value, ValueObject } from "../../value/value.ts";
import { hasChildren, isMember, SELF } from "../fieldpath/index.ts";
import type { FieldSet, PathElement } from "../fieldpath/index.ts";
import { elementType, elementsOf, fieldOf, hasPaths } from "../typed/index.ts";
import type { ListType, Type } from "../schema/schema.ts";

/**
 * The value without the paths of `released` that no set of `owners` has.
 *
 * @param last what the applier owned; `released` is the part of it that the applier does not own now
 */
export function release(
  type: Type,
  value: Value,
  released: FieldSet,
  last: FieldSet,
  owners: readonly FieldSet[],
): Value {
  return releaseBelow({ type, value, released, last, owners, state: "kept" });
}

/** A container, and the nodes of the sets at its path. */
interface Container {
  readonly type: Type;
  readonly value: Value;
  readonly released: FieldSet;
  readonly last: FieldSet;
  readonly owners: readonly FieldSet[];
  /**
   * `kept`: the applier never owned the container. `owned`: it did, and a manager owns it now. `unowned`: it owned a
   * container above, no manager owns this one, and this one stays because the applier did not own its very path.
   */
  readonly state: "kept" | "owned" | "unowned";
}

/** A child is removed, or replaced by this value. */
type Outcome = "removed" | { readonly value: Value };

function releaseBelow(container: Container): Value {
  const { value, type } = container;
  if (!isContainer(value) || type.kind === "scalar") return value;
  if (Array.isArray(value))
    return type.kind === "list" && type.merge !== "atomic" ? releaseEntries(container, type, value) : value;
  if (type.kind === "list" || (type.kind !== "any" && type.atomic)) return value;
  const outcomes = new Map<string, Outcome>();
  for (const element in container.released) {
    const key = element.slice(2);
    if (element === SELF || !Object.hasOwn(value, key)) continue;
    const outcome = outcomeOf(container, element, value[key]!);
    if (outcome === "removed" || outcome.value !== value[key]) outcomes.set(key, outcome);
  }
  return outcomes.size === 0 ? value : withoutReleased(value, outcomes);
}

function withoutReleased(value: ValueObject, outcomes: ReadonlyMap<string, Outcome>): Value {
  const left: ValueObject = {};
  let empty = true;
  for (const key in value) {
    const outcome = outcomes.get(key);
    if (outcome === "removed") continue;
    setMember(left, key, outcome === undefined ? value[key] : outcome.value);
    empty = false;
  }
  return empty ? null : left;
}

function releaseEntries(container: Container, type: ListType, list: Value[]): Value {
  const { elements, duplicates } = elementsOf(type, list);
  const left: Value[] = [];
  let same = true;
  for (const [i, item] of list.entries()) {
    const element = elements[i];
    if (element === undefined || container.released[element] === undefined) {
      left.push(item);
      continue;
    }
    const outcome = outcomeOf(container, element, item, duplicates.has(element));
    if (outcome === "removed" || outcome.value !== item) same = false;
    if (outcome !== "removed") left.push(outcome.value);
  }
  if (same) return list;
  return left.length === 0 ? null : left;
}

/** `whole`: nothing below the child has owners of its own, as with duplicates. */
function outcomeOf(container: Container, element: PathElement, value: Value, whole = false): Outcome {
  const last = container.last[element]!;
  const declared = element.startsWith("f:") && fieldOf(container.type, element.slice(2)) !== undefined;
  const type = elementType(container.type, element);
  // A struct field without paths, such as an empty list that is merged by entry, has no owner.
  if (declared && !hasPaths(type, value)) return { value };
  const owners = childNodes(container.owners, element);
  const named = isMember(last) || declared;
  const owned = owners.some((node) => isMember(node) || (declared && hasChildren(node)));
  if (named && (container.state === "unowned" || !owned)) return "removed";
  if (whole) return { value };
  const state = named ? "owned" : container.state === "kept" || owned ? container.state : "unowned";
  if (declared && !hasOwnedPaths(type, value, owners)) return "removed";
  return { value: releaseBelow({ type, value, released: container.released[element]!, last, owners, state }) };
}

const childNodes = (nodes: readonly FieldSet[], element: PathElement): FieldSet[] =>
  nodes.map((node) => node[element]).filter((node) => node !== undefined);

/**
 * Whether a struct has paths when only what is owned is left of it.
 *
 * It has none when all members that remain have none; an emptied struct has one, for it becomes null.
 */
function hasOwnedPaths(type: Type, value: Value, owners: readonly FieldSet[]): boolean {
  if (type.kind !== "struct" || type.atomic || typeof value !== "object" || value === null) return true;
  let hasPathless = false;
  for (const [key, item] of Object.entries(value)) {
    const field = type.fields.get(key);
    if (field !== undefined && !hasPaths(field.type, item)) {
      hasPathless = true;
      continue;
    }
    const below = childNodes(owners, "f:" + key);
    const owned = below.some((node) => isMember(node) || (field !== undefined && hasChildren(node)));
    if (!owned) continue;
    if (field === undefined || hasOwnedPaths(field.type, item, below)) return true;
    hasPathless = true;
  }
  return !hasPathless;
}
