import type { Value } from "../value/value.ts";
import { escapeToken } from "../value/pointer.ts";
import {
  elementToString,
  fieldElement,
  hasChildren,
  indexElement,
  isMember,
  iterate,
  SELF,
} from "./fieldpath/index.ts";
import type { FieldSet, Path, PathElement } from "./fieldpath/index.ts";
import type { AnyType, ListType, MapType, StructType, Type } from "./schema/schema.ts";
import { elementsOf, elementType } from "./typed/index.ts";

/** A place in a value: a leaf, or a container with something in it. */
export interface Place<Owner> {
  /** As conflict causes name it: `.spec.drivers[name="d1"].nodeID`. */
  readonly field: string;
  /** Where it stands in the value, as a JSON pointer (RFC 6901): unique, also among entries that have the same key. */
  readonly pointer: string;
  readonly value: Value;
  /** Whose set has the very path, in the order in which the sets were given. */
  readonly owners: readonly Owner[];
}

/** Hears of every place once, containers before what is in them. */
export interface PlaceVisitor<Owner> {
  /** The smallest that can be owned: a scalar, an atomic part, an empty container, an entry that has no key of its own. */
  readonly leaf: (place: Place<Owner>) => void;
  readonly container: (place: Place<Owner>) => void;
  /** A path of a set that leads nowhere. */
  readonly absent?: (field: string, owner: Owner) => void;
}

/** A set and whose it is. */
export interface OwnerSet<Owner> {
  readonly owner: Owner;
  readonly set: FieldSet;
}

/**
 * Walks a value together with the sets of its owners; the root itself is no place.
 *
 * Takes time in proportion to the value and the sets, however many owners there are: at each container the owners are
 * sorted by the members that they know, so nobody is asked about members that they do not have.
 */
export function walkPlaces<Owner>(
  type: Type,
  value: Value,
  sets: readonly OwnerSet<Owner>[],
  visitor: PlaceVisitor<Owner>,
): void {
  new Walk(visitor).inside(type, value, "", "", sets);
}

class Walk<Owner> {
  readonly #visitor: PlaceVisitor<Owner>;

  constructor(visitor: PlaceVisitor<Owner>) {
    this.#visitor = visitor;
  }

  /** What is in a container, and what the sets have below it beside that. */
  inside(type: Type, value: Value, field: string, pointer: string, sets: readonly OwnerSet<Owner>[]): void {
    const known = byElement(sets);
    if (Array.isArray(value)) this.#items(type as ListType, value, field, pointer, known);
    else this.#members(type as StructType | MapType | AnyType, value, field, pointer, known);
    for (const [element, { owners, seen }] of known) if (!seen) this.#missing(field + elementToString(element), owners);
  }

  #members(
    type: StructType | MapType | AnyType,
    value: Value,
    field: string,
    pointer: string,
    known: ByElement<Owner>,
  ): void {
    if (typeof value !== "object" || value === null) return;
    for (const [name, item] of Object.entries(value)) {
      const element = fieldElement(name);
      this.#place(
        elementType(type, element),
        item,
        `${field}.${name}`,
        `${pointer}/${escapeToken(name)}`,
        known.get(element),
      );
    }
  }

  #items(type: ListType, list: readonly Value[], field: string, pointer: string, known: ByElement<Owner>): void {
    const { elements, duplicates } = elementsOf(type, list);
    list.forEach((item, index) => {
      const element = elements[index];
      const at = `${pointer}/${index}`;
      if (element === undefined) this.#leaf(item, field + elementToString(indexElement(index)), at, undefined);
      else if (duplicates.has(element)) this.#leaf(item, field + elementToString(element), at, known.get(element));
      else this.#place(type.item, item, field + elementToString(element), at, known.get(element));
    });
  }

  #place(type: Type, value: Value, field: string, pointer: string, group: Group<Owner> | undefined): void {
    if (!isGranular(type, value)) {
      this.#leaf(value, field, pointer, group);
      return;
    }
    const sets = take(group);
    this.#visitor.container({ field, pointer, value, owners: membersOf(sets) });
    this.inside(type, value, field, pointer, sets);
  }

  #leaf(value: Value, field: string, pointer: string, group: Group<Owner> | undefined): void {
    const told = group?.seen === true;
    const sets = take(group);
    this.#visitor.leaf({ field, pointer, value, owners: membersOf(sets) });
    if (told) return;
    for (const { owner, set } of sets) if (hasChildren(set)) this.#below(field, owner, set);
  }

  #missing(field: string, sets: readonly OwnerSet<Owner>[]): void {
    for (const { owner, set } of sets) {
      if (isMember(set)) this.#visitor.absent?.(field, owner);
      this.#below(field, owner, set);
    }
  }

  #below(field: string, owner: Owner, set: FieldSet): void {
    const { absent } = this.#visitor;
    if (absent) iterate(set, (path: Path) => absent(field + path.map(elementToString).join(""), owner));
  }
}

/** Who has something at or below a member, and whether the value has the member. */
interface Group<Owner> {
  readonly owners: OwnerSet<Owner>[];
  seen: boolean;
}

type ByElement<Owner> = Map<PathElement, Group<Owner>>;

function byElement<Owner>(sets: readonly OwnerSet<Owner>[]): ByElement<Owner> {
  const known: ByElement<Owner> = new Map();
  for (const { owner, set } of sets) {
    for (const element in set) {
      if (element === SELF) continue;
      const mine = { owner, set: set[element]! };
      const group = known.get(element);
      if (group === undefined) known.set(element, { owners: [mine], seen: false });
      else group.owners.push(mine);
    }
  }
  return known;
}

const NOBODY: readonly never[] = [];

/** The sets of a member that has been found. */
function take<Owner>(group: Group<Owner> | undefined): readonly OwnerSet<Owner>[] {
  if (group === undefined) return NOBODY;
  group.seen = true;
  return group.owners;
}

function membersOf<Owner>(sets: readonly OwnerSet<Owner>[]): readonly Owner[] {
  return sets.length === 0 ? NOBODY : sets.filter(({ set }) => isMember(set)).map(({ owner }) => owner);
}

/** Whether parts of a value can be owned on their own; of an empty one there are none. */
function isGranular(type: Type, value: Value): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return type.kind === "list" && type.merge !== "atomic" && value.length > 0;
  if (type.kind === "scalar" || type.kind === "list") return false;
  if (type.kind !== "any" && type.atomic) return false;
  return Object.keys(value).length > 0;
}
