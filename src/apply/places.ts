import { isContainer } from "../value/value.ts";
import type { Value, ValueObject } from "../value/value.ts";
import { escapeToken } from "../value/pointer.ts";
import { elementToString, fieldElement, indexElement, isEmpty, isMember, iterate, SELF } from "./fieldpath/index.ts";
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
  const alone = new Map(sets.map(({ owner }) => [owner, [owner]] as const));
  new Walk(visitor, alone).inside(type, value, "", "", sets);
}

class Walk<Owner> {
  readonly #visitor: PlaceVisitor<Owner>;
  /** A list for each owner: most leaves have one owner, and there are many leaves. */
  readonly #alone: ReadonlyMap<Owner, readonly Owner[]>;

  constructor(visitor: PlaceVisitor<Owner>, alone: ReadonlyMap<Owner, readonly Owner[]>) {
    this.#visitor = visitor;
    this.#alone = alone;
  }

  /** What is in a container, and what the sets have below it beside that. */
  inside(type: Type, value: Value, field: string, pointer: string, sets: readonly OwnerSet<Owner>[]): void {
    const known = knownBy(sets);
    if (Array.isArray(value)) this.#items(type as ListType, value, field, pointer, known);
    else this.#members(type as StructType | MapType | AnyType, value as ValueObject, field, pointer, known);
    known.unseen((element, left) => this.#missing(field + elementToString(element), left));
  }

  #members(
    type: StructType | MapType | AnyType,
    value: ValueObject,
    field: string,
    pointer: string,
    known: Known<Owner>,
  ): void {
    for (const name in value) {
      const element = fieldElement(name);
      const at = `${pointer}/${escapeToken(name)}`;
      this.#place(elementType(type, element), value[name]!, `${field}.${name}`, at, known.take(element));
    }
  }

  #items(type: ListType, list: readonly Value[], field: string, pointer: string, known: Known<Owner>): void {
    const { elements, duplicates } = elementsOf(type, list);
    const reported = new Set<PathElement>();
    list.forEach((item, index) => {
      const element = elements[index];
      const at = `${pointer}/${index}`;
      if (element === undefined) return this.#leaf(item, field + elementToString(indexElement(index)), at, NOBODY);
      const name = field + elementToString(element);
      const sets = known.take(element);
      if (!duplicates.has(element)) return this.#place(type.item, item, name, at, sets);
      this.#leaf(item, name, at, sets, !reported.has(element));
      reported.add(element);
    });
  }

  #place(type: Type, value: Value, field: string, pointer: string, sets: readonly OwnerSet<Owner>[]): void {
    if (!isGranular(type, value)) return this.#leaf(value, field, pointer, sets);
    this.#visitor.container({ field, pointer, value, owners: this.#membersOf(sets) });
    this.inside(type, value, field, pointer, sets);
  }

  /** `tellsBelow`: whether what the sets have below the leaf is reported as absent; once for all entries of one key. */
  #leaf(value: Value, field: string, pointer: string, sets: readonly OwnerSet<Owner>[], tellsBelow = true): void {
    this.#visitor.leaf({ field, pointer, value, owners: this.#membersOf(sets) });
    if (tellsBelow) for (const { owner, set } of sets) this.#below(field, owner, set);
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
    if (sets.length === 0) return NOBODY;
    if (sets.length === 1) return isMember(sets[0]!.set) ? this.#alone.get(sets[0]!.owner)! : NOBODY;
    return sets.filter(({ set }) => isMember(set)).map(({ owner }) => owner);
  }
}

const NOBODY: readonly never[] = [];

/** What the sets of a container have in it, by member. */
interface Known<Owner> {
  /** The sets that have something at or below a member; it counts as seen from now on. */
  take(element: PathElement): readonly OwnerSet<Owner>[];
  /** Tells of the members that were not taken. */
  unseen(tell: (element: PathElement, sets: readonly OwnerSet<Owner>[]) => void): void;
}

const NOTHING: Known<never> = { take: () => NOBODY, unseen: () => {} };

function knownBy<Owner>(sets: readonly OwnerSet<Owner>[]): Known<Owner> {
  if (sets.length === 0) return NOTHING;
  return sets.length === 1 ? new KnownByOne(sets[0]!) : new KnownByMany(sets);
}

/** One set is an index by itself. */
class KnownByOne<Owner> implements Known<Owner> {
  readonly #one: OwnerSet<Owner>;
  readonly #taken = new Set<PathElement>();

  constructor(one: OwnerSet<Owner>) {
    this.#one = one;
  }

  take(element: PathElement): readonly OwnerSet<Owner>[] {
    const set = this.#one.set[element];
    if (set === undefined) return NOBODY;
    this.#taken.add(element);
    return [{ owner: this.#one.owner, set }];
  }

  unseen(tell: (element: PathElement, sets: readonly OwnerSet<Owner>[]) => void): void {
    const { owner, set } = this.#one;
    for (const element in set) {
      if (element !== SELF && !this.#taken.has(element)) tell(element, [{ owner, set: set[element]! }]);
    }
  }
}

/** Many sets turned round: for each member the sets that know it. */
class KnownByMany<Owner> implements Known<Owner> {
  readonly #sets = new Map<PathElement, OwnerSet<Owner>[]>();
  readonly #taken = new Set<PathElement>();

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

  take(element: PathElement): readonly OwnerSet<Owner>[] {
    const sets = this.#sets.get(element);
    if (sets === undefined) return NOBODY;
    this.#taken.add(element);
    return sets;
  }

  unseen(tell: (element: PathElement, sets: readonly OwnerSet<Owner>[]) => void): void {
    if (this.#taken.size === this.#sets.size) return;
    for (const [element, sets] of this.#sets) if (!this.#taken.has(element)) tell(element, sets);
  }
}

/** Whether parts of a value can be owned on their own; of an empty one there are none. */
function isGranular(type: Type, value: Value): boolean {
  if (!isContainer(value)) return false;
  if (Array.isArray(value)) return type.kind === "list" && type.merge !== "atomic" && value.length > 0;
  if (type.kind === "scalar" || type.kind === "list") return false;
  if (type.kind !== "any" && type.atomic) return false;
  for (const _ in value) return true;
  return false;
}
