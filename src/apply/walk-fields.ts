import { isContainer, isObject } from "../value/value.ts";
import type { Value, ValueObject } from "../value/value.ts";
import { escapeToken } from "../value/pointer.ts";
import { elementToString, fieldElement, indexElement, isEmpty, isMember, iterate, SELF } from "./fieldpath/index.ts";
import type { FieldSet, Path, PathElement } from "./fieldpath/index.ts";
import type { AnyType, ListType, MapType, StructType, Type } from "./schema/schema.ts";
import { elementsOf, elementType } from "./typed/index.ts";

/** A field of a value: a leaf, or a container with something in it. */
export interface VisitedField<Owner> {
  /** As conflict causes name it: `.spec.drivers[name="d1"].nodeID`. */
  readonly field: string;
  /** Its path in the value, as a JSON pointer (RFC 6901): unique, also among entries that have the same key. */
  readonly pointer: string;
  readonly value: Value;
  /** The owners whose set has this very path, in the order of the sets. */
  readonly owners: readonly Owner[];
}

/** Is called once for every field, for containers before what is in them. */
export interface FieldVisitor<Owner> {
  /** The smallest part that can be owned: a scalar, an atomic part, an empty container, an entry without a key of its own. */
  readonly leaf: (field: VisitedField<Owner>) => void;
  readonly container: (field: VisitedField<Owner>) => void;
  /** A path of a set that the value does not have. */
  readonly absent?: (field: string, owner: Owner) => void;
}

/** A set and its owner. */
export interface OwnerSet<Owner> {
  readonly owner: Owner;
  readonly set: FieldSet;
}

/**
 * Walks a value together with the sets of its owners; the root itself is no field.
 *
 * Linear in the size of the value and the sets, however many owners there are: at each container the sets are indexed by
 * their members.
 */
export function walkFields<Owner>(
  type: Type,
  value: Value,
  sets: readonly OwnerSet<Owner>[],
  visitor: FieldVisitor<Owner>,
): void {
  const alone = new Map(sets.map(({ owner }) => [owner, [owner]] as const));
  new Walk(visitor, alone).inside(type, value, "", "", sets);
}

class Walk<Owner> {
  readonly #visitor: FieldVisitor<Owner>;
  /** A shared list for each owner, because most leaves have single owner. */
  readonly #alone: ReadonlyMap<Owner, readonly Owner[]>;

  constructor(visitor: FieldVisitor<Owner>, alone: ReadonlyMap<Owner, readonly Owner[]>) {
    this.#visitor = visitor;
    this.#alone = alone;
  }

  /** Visits what is in a container, and the paths of the sets below it that it does not have. */
  inside(type: Type, value: Value, field: string, pointer: string, sets: readonly OwnerSet<Owner>[]): void {
    const index = indexSets(sets);
    if (Array.isArray(value) && type.kind === "list") this.#items(type, value, field, pointer, index);
    else if (isObject(value) && type.kind !== "list" && type.kind !== "scalar")
      this.#members(type, value, field, pointer, index);
    index.visitRest((element, left) => this.#missing(field + elementToString(element), left));
  }

  #members(
    type: StructType | MapType | AnyType,
    value: ValueObject,
    field: string,
    pointer: string,
    index: SetIndex<Owner>,
  ): void {
    for (const name in value) {
      const element = fieldElement(name);
      const at = `${pointer}/${escapeToken(name)}`;
      this.#field(elementType(type, element), value[name]!, `${field}.${name}`, at, index.visit(element));
    }
  }

  #items(type: ListType, list: readonly Value[], field: string, pointer: string, index: SetIndex<Owner>): void {
    const { elements, duplicates } = elementsOf(type, list);
    const reported = new Set<PathElement>();
    list.forEach((item, position) => {
      const element = elements[position];
      const at = `${pointer}/${position}`;
      if (element === undefined)
        return this.#leaf(item, field + elementToString(indexElement(position)), at, NO_OWNERS);
      const name = field + elementToString(element);
      const sets = index.visit(element);
      if (!duplicates.has(element)) return this.#field(type.item, item, name, at, sets);
      this.#leaf(item, name, at, sets, !reported.has(element));
      reported.add(element);
    });
  }

  #field(type: Type, value: Value, field: string, pointer: string, sets: readonly OwnerSet<Owner>[]): void {
    if (!isGranular(type, value)) return this.#leaf(value, field, pointer, sets);
    this.#visitor.container({ field, pointer, value, owners: this.#membersOf(sets) });
    this.inside(type, value, field, pointer, sets);
  }

  /** `reportsBelow`: whether the paths below the leaf are reported as absent; once for all entries of single key. */
  #leaf(value: Value, field: string, pointer: string, sets: readonly OwnerSet<Owner>[], reportsBelow = true): void {
    this.#visitor.leaf({ field, pointer, value, owners: this.#membersOf(sets) });
    if (reportsBelow) for (const { owner, set } of sets) this.#below(field, owner, set);
  }

  #missing(field: string, sets: readonly OwnerSet<Owner>[]): void {
    for (const { owner, set } of sets) {
      if (isMember(set)) this.#visitor.absent?.(field, owner);
      this.#below(field, owner, set);
    }
  }

  #below(field: string, owner: Owner, set: FieldSet): void {
    const { absent } = this.#visitor;
    if (!absent || isEmpty(set)) return;
    iterate(set, (path: Path) => absent(field + path.map(elementToString).join(""), owner));
  }

  #membersOf(sets: readonly OwnerSet<Owner>[]): readonly Owner[] {
    if (sets.length === 0) return NO_OWNERS;
    if (sets.length === 1) return isMember(sets[0]!.set) ? this.#alone.get(sets[0]!.owner)! : NO_OWNERS;
    return sets.filter(({ set }) => isMember(set)).map(({ owner }) => owner);
  }
}

const NO_OWNERS: readonly never[] = [];

/** The sets of a container by its members. */
interface SetIndex<Owner> {
  /** The sets that have something at or below a member, which counts as visited from now on. */
  visit(element: PathElement): readonly OwnerSet<Owner>[];
  /** Calls `visit` for the members that were not visited. */
  visitRest(visit: (element: PathElement, sets: readonly OwnerSet<Owner>[]) => void): void;
}

const EMPTY_INDEX: SetIndex<never> = { visit: () => NO_OWNERS, visitRest: () => {} };

function indexSets<Owner>(sets: readonly OwnerSet<Owner>[]): SetIndex<Owner> {
  if (sets.length === 0) return EMPTY_INDEX;
  return sets.length === 1 ? new SingleSetIndex(sets[0]!) : new MergedSetIndex(sets);
}

/** The index of single set, which is the set itself. */
class SingleSetIndex<Owner> implements SetIndex<Owner> {
  readonly #single: OwnerSet<Owner>;
  readonly #visited = new Set<PathElement>();

  constructor(single: OwnerSet<Owner>) {
    this.#single = single;
  }

  visit(element: PathElement): readonly OwnerSet<Owner>[] {
    const set = this.#single.set[element];
    if (set === undefined) return NO_OWNERS;
    this.#visited.add(element);
    return [{ owner: this.#single.owner, set }];
  }

  visitRest(visit: (element: PathElement, sets: readonly OwnerSet<Owner>[]) => void): void {
    const { owner, set } = this.#single;
    for (const element in set) {
      if (element !== SELF && !this.#visited.has(element)) visit(element, [{ owner, set: set[element]! }]);
    }
  }
}

/** The index of many sets: for each member the sets that have it. */
class MergedSetIndex<Owner> implements SetIndex<Owner> {
  readonly #sets = new Map<PathElement, OwnerSet<Owner>[]>();
  readonly #visited = new Set<PathElement>();

  constructor(sets: readonly OwnerSet<Owner>[]) {
    for (const { owner, set } of sets) {
      for (const element in set) {
        if (element === SELF) continue;
        const mine = { owner, set: set[element]! };
        const others = this.#sets.get(element);
        if (others === undefined) this.#sets.set(element, [mine]);
        else others.push(mine);
      }
    }
  }

  visit(element: PathElement): readonly OwnerSet<Owner>[] {
    const sets = this.#sets.get(element);
    if (sets === undefined) return NO_OWNERS;
    this.#visited.add(element);
    return sets;
  }

  visitRest(visit: (element: PathElement, sets: readonly OwnerSet<Owner>[]) => void): void {
    if (this.#visited.size === this.#sets.size) return;
    for (const [element, sets] of this.#sets) if (!this.#visited.has(element)) visit(element, sets);
  }
}

/** Whether parts of a value can be owned on their own; an empty value has no parts. */
function isGranular(type: Type, value: Value): boolean {
  if (!isContainer(value)) return false;
  if (Array.isArray(value)) return type.kind === "list" && type.merge !== "atomic" && value.length > 0;
  if (type.kind === "scalar" || type.kind === "list") return false;
  if (type.kind !== "any" && type.atomic) return false;
  for (const _ in value) return true;
  return false;
}
