/**
 * Takes out of a merged object what its applier gave up, when all managers speak one version: the case of every day.
 *
 * The meaning is that of `prune.ts`, which says it in sets of whole objects; here only the paths that were given up are
 * walked. A path that was given up goes unless somebody owns it. It takes all that is below it along, also what nobody
 * owns, but not what others own below a container that somebody owns.
 *
 * @module
 */
import { setMember, isContainer } from "../../value/value.ts";
import type { Value, ValueObject } from "../../value/value.ts";
import { hasChildren, isMember, SELF } from "../fieldpath/index.ts";
import type { FieldSet, PathElement } from "../fieldpath/index.ts";
import { elementType, elementsOf, fieldOf, saysSomething } from "../typed/index.ts";
import type { Type } from "../schema/schema.ts";

/**
 * The value without the paths of `given` that no set of `owners` has.
 *
 * @param last what the applier owned; `given` is the part of it that the applier does not own now
 */
export function release(type: Type, value: Value, given: FieldSet, last: FieldSet, owners: readonly FieldSet[]): Value {
  return releaseBelow({ type, value, given, last, owners, state: "kept" });
}

interface Place {
  readonly type: Type;
  readonly value: Value;
  /** The nodes of the three kinds of sets at this place. */
  readonly given: FieldSet;
  readonly last: FieldSet;
  readonly owners: readonly FieldSet[];
  /**
   * What the sets say of the container: `kept`, it was never the applier's; `owned`, it was, and somebody owns it now;
   * `gone`, it was, as part of something that nobody owns now, and only stays for not being named itself.
   */
  readonly state: "kept" | "owned" | "gone";
}

/** A child is to go, or to be replaced by this value. */
type Fate = "go" | { readonly value: Value };

function releaseBelow(place: Place): Value {
  const { value, type } = place;
  if (!isContainer(value) || type.kind === "scalar") return value;
  if (Array.isArray(value))
    return type.kind === "list" && type.merge !== "atomic" ? releaseEntries(place, value) : value;
  if (type.kind === "list" || (type.kind !== "any" && type.atomic)) return value;
  const fates = new Map<string, Fate>();
  for (const element in place.given) {
    const key = element.slice(2);
    if (element === SELF || !Object.hasOwn(value, key)) continue;
    const fate = fateOf(place, element, value[key]!);
    if (fate === "go" || fate.value !== value[key]) fates.set(key, fate);
  }
  return fates.size === 0 ? value : withoutReleased(value, fates);
}

function withoutReleased(value: ValueObject, fates: ReadonlyMap<string, Fate>): Value {
  const left: ValueObject = {};
  let empty = true;
  for (const key in value) {
    const fate = fates.get(key);
    if (fate === "go") continue;
    setMember(left, key, fate === undefined ? value[key] : fate.value);
    empty = false;
  }
  return empty ? null : left;
}

function releaseEntries(place: Place, list: readonly Value[]): Value {
  if (place.type.kind !== "list") return list as Value[];
  const { elements, duplicates } = elementsOf(place.type, list);
  const left: Value[] = [];
  let same = true;
  for (const [i, item] of list.entries()) {
    const element = elements[i];
    const given = element === undefined ? undefined : place.given[element];
    if (given === undefined) {
      left.push(item);
      continue;
    }
    const fate = fateOf(place, element!, item, duplicates.has(element!));
    if (fate === "go" || fate.value !== item) same = false;
    if (fate !== "go") left.push(fate.value);
  }
  if (same) return list as Value[];
  return left.length === 0 ? null : left;
}

/** `whole`: nothing below the child counts, as with duplicates, which are one thing. */
function fateOf(place: Place, element: PathElement, value: Value, whole = false): Fate {
  const last = place.last[element]!;
  const declared = element.startsWith("f:") && fieldOf(place.type, element.slice(2)) !== undefined;
  const type = elementType(place.type, element);
  // A struct field that says nothing, such as an empty list that is merged by entry, is no path.
  if (declared && !saysSomething(type, value)) return { value };
  const owners = childNodes(place.owners, element);
  const named = isMember(last) || declared;
  const owned = owners.some((node) => isMember(node) || (declared && hasChildren(node)));
  if (named && (place.state === "gone" || !owned)) return "go";
  if (whole) return { value };
  const state = named ? "owned" : place.state === "kept" || owned ? place.state : "gone";
  if (named && declared && !saysSomethingOwned(type, value, owners)) return "go";
  return { value: releaseBelow({ type, value, given: place.given[element]!, last, owners, state }) };
}

const childNodes = (nodes: readonly FieldSet[], element: PathElement): FieldSet[] =>
  nodes.map((node) => node[element]).filter((node) => node !== undefined);

/**
 * Whether a struct still says something when only what is owned is left of it.
 *
 * It does not when nothing but members that say nothing remain; an emptied one does, for then it is null.
 */
function saysSomethingOwned(type: Type, value: Value, owners: readonly FieldSet[]): boolean {
  if (type.kind !== "struct" || type.atomic || typeof value !== "object" || value === null) return true;
  let silent = false;
  for (const key in value as ValueObject) {
    const item = (value as ValueObject)[key]!;
    const field = type.fields.get(key);
    if (field !== undefined && !saysSomething(field.type, item)) {
      silent = true;
      continue;
    }
    const below = childNodes(owners, "f:" + key);
    const owned = below.some((node) => isMember(node) || (field !== undefined && hasChildren(node)));
    if (!owned) continue;
    if (field === undefined || saysSomethingOwned(field.type, item, below)) return true;
    silent = true;
  }
  return !silent;
}
