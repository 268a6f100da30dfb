/**
 * What changed between two values of a type, as sets of paths.
 *
 * One walk over both values. Every update runs it, so an unchanged part costs an equality check and no
 * allocation; the element of a path is only created where values differ.
 *
 * @module
 */
import { MEMBERS_A_STEP, type Steps } from "../../util/steps.ts";
import { isSmall } from "../../value/small.ts";
import { isContainer, isObject } from "../../value/value.ts";
import type { Value, ValueObject } from "../../value/value.ts";
import { fieldElement, SetBuilder } from "../fieldpath/index.ts";
import type { FieldSet, Filter, PathElement } from "../fieldpath/index.ts";
import type { ListType, MapType, ScalarType, StructType, Type } from "../schema/schema.ts";
import { elementOrNone, memberType } from "./items.ts";
import { sameList, sameValue } from "./same.ts";
import type { ScalarEqual } from "./same.ts";
import { wholeNode } from "./whole-set.ts";

/** The paths that the new value has and the old one lacks, those that differ, and those that only the old one has. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/**
 * Compares two values of one type.
 *
 * Duplicates in a set or keyed list count as one path: it is modified when any of them changes, and it is in `added` or
 * `removed` when duplicates appear or disappear. Entries without a key are ignored.
 *
 * @param scalarEqual decides which scalars are equal although their texts differ; none when left out
 */
export function compare(type: Type, before: Value, after: Value, scalarEqual?: ScalarEqual): Comparison {
  const walker = new CompareWalker(scalarEqual);
  if (before !== after) walker.walk(type, before, after);
  return walker.result();
}

/** {@link compare} in steps, each of a bounded number of members. */
export function* compareSteps(type: Type, before: Value, after: Value, scalarEqual?: ScalarEqual): Steps<Comparison> {
  const walker = new CompareWalker(scalarEqual);
  if (before !== after) yield* walker.steps(type, before, after);
  return walker.result();
}

/** A comparison with only the paths that a filter keeps. */
export const filterComparison = (found: Comparison, filter: Filter): Comparison => ({
  added: filter(found.added),
  modified: filter(found.modified),
  removed: filter(found.removed),
});

type Kind = "none" | "scalar" | "list" | "object" | "null";

const kindOf = (value: Value | undefined): Kind => {
  if (value === undefined) return "none";
  if (value === null) return "null";
  if (!isContainer(value)) return "scalar";
  return Array.isArray(value) ? "list" : "object";
};

const asObject = (value: Value | undefined): ValueObject | undefined => (isObject(value) ? value : undefined);

const asList = (value: Value | undefined): Value[] | undefined => (Array.isArray(value) ? value : undefined);

const isVoid = (object: ValueObject | undefined): boolean => {
  for (const _ in object) return false;
  return true;
};

const own = (object: ValueObject | undefined, key: string): Value | undefined =>
  object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;

/** The members that are not identical on both sides: first those of `x`, then what only `y` has. */
function differing(x: ValueObject | undefined, y: ValueObject | undefined): string[] {
  const keys: string[] = [];
  for (const key in x) if (x[key] !== own(y, key)) keys.push(key);
  for (const key in y) if (x === undefined || !Object.hasOwn(x, key)) keys.push(key);
  return keys;
}

/** An undefined side is absent; null is a value. */
class CompareWalker {
  readonly #path: PathElement[] = [];
  readonly #added = new SetBuilder();
  readonly #modified = new SetBuilder();
  readonly #removed = new SetBuilder();
  readonly #scalarEqual: ScalarEqual | undefined;
  /** How many members were compared in the current step. */
  #members = 0;

  constructor(scalarEqual: ScalarEqual | undefined) {
    this.#scalarEqual = scalarEqual;
  }

  result(): Comparison {
    return { added: this.#added.build(), modified: this.#modified.build(), removed: this.#removed.build() };
  }

  /** {@link CompareWalker.walk} in steps between the members and entries of what is large. */
  *steps(type: Type, a: Value | undefined, b: Value | undefined): Steps<void> {
    if (isSmall(a) && isSmall(b)) return this.walk(type, a, b);
    if ((type.kind === "struct" || type.kind === "map") && !type.atomic) yield* this.#objectSteps(type, a, b);
    else if (type.kind === "list" && type.merge !== "atomic") yield* this.#listSteps(type, a, b);
    else this.walk(type, a, b);
  }

  *#objectSteps(type: StructType | MapType, a: Value | undefined, b: Value | undefined): Steps<void> {
    const x = asObject(a);
    const y = asObject(b);
    if (isVoid(x) && isVoid(y)) return this.#leaf(a, b);
    for (const key of differing(x, y)) {
      const [was, now] = [own(x, key), own(y, key)];
      this.#members++;
      this.#path.push(fieldElement(key));
      if (isSmall(was) && isSmall(now)) this.walk(memberType(type, key), was, now);
      else yield* this.steps(memberType(type, key), was, now);
      this.#path.pop();
      if (this.#endsStep()) yield;
    }
    this.#container(a, b);
  }

  *#listSteps(type: ListType, a: Value | undefined, b: Value | undefined): Steps<void> {
    const x = asList(a) ?? [];
    const y = asList(b) ?? [];
    if (x.length === 0 && y.length === 0) return this.#leaf(a, b);
    if (x.length === 0 || y.length === 0 || !sameValue(x, y)) {
      yield;
      const before = groups(type, x);
      yield;
      const after = groups(type, y);
      yield;
      for (const [element, was, now] of sideBySide(before, after)) {
        this.#members++;
        if (was.length <= 1 && now.length <= 1 && was[0] !== now[0] && !(isSmall(was[0]) && isSmall(now[0]))) {
          this.#path.push(element);
          yield* this.steps(type.item, was[0], now[0]);
          this.#path.pop();
        } else {
          this.#item(type, element, was, now);
        }
        if (this.#endsStep()) yield;
      }
    }
    this.#container(a, b);
  }

  /** Whether the step has compared enough members to end. */
  #endsStep(): boolean {
    if (this.#members < MEMBERS_A_STEP) return false;
    this.#members = 0;
    return true;
  }

  /** Compares two sides that are not identical; at least one of them is present. */
  walk(type: Type, a: Value | undefined, b: Value | undefined): void {
    if (a === undefined && this.#path.length > 0)
      return this.#added.insert(this.#path, this.#path.length, wholeNode(type, b!));
    if (b === undefined && this.#path.length > 0)
      return this.#removed.insert(this.#path, this.#path.length, wholeNode(type, a!));
    switch (type.kind) {
      case "scalar":
        return this.#scalar(type, a, b);
      case "struct":
      case "map":
        return this.#object(type, type.atomic, a, b);
      case "list":
        return this.#list(type, a, b);
      case "any":
        return this.#any(type, a, b);
    }
  }

  #here(set: SetBuilder): void {
    set.insert(this.#path, this.#path.length);
  }

  /** A value that can only be owned as one. */
  #leaf(a: Value | undefined, b: Value | undefined): void {
    if (a === undefined) this.#here(this.#added);
    else if (b === undefined) this.#here(this.#removed);
    else if (!sameValue(a, b)) this.#here(this.#modified);
  }

  #scalar(type: ScalarType, a: Value | undefined, b: Value | undefined): void {
    const equal = this.#scalarEqual;
    if (equal !== undefined && a !== undefined && b !== undefined && equal(type, a, b)) return;
    this.#leaf(a, b);
  }

  /** The container itself was added or removed, besides what is in it. */
  #container(a: Value | undefined, b: Value | undefined): void {
    if (a === undefined) this.#here(this.#added);
    else if (b === undefined) this.#here(this.#removed);
  }

  #object(type: Extract<Type, { kind: "struct" | "map" | "any" }>, atomic: boolean, a?: Value, b?: Value): void {
    const x = asObject(a);
    const y = asObject(b);
    // Two empty sides are a leaf, so that `{}` and null differ.
    if (atomic || (isVoid(x) && isVoid(y))) return this.#leaf(a, b);
    let unseen = 0;
    for (const _ in y) unseen++;
    for (const key in x) {
      const was = x[key]!;
      const now = y === undefined || !Object.hasOwn(y, key) ? undefined : y[key];
      if (now !== undefined) unseen--;
      if (was !== now) this.#member(memberType(type, key), key, was, now);
    }
    if (unseen > 0) {
      for (const key in y) {
        if (x === undefined || !Object.hasOwn(x, key)) this.#member(memberType(type, key), key, undefined, y[key]);
      }
    }
    this.#container(a, b);
  }

  #member(type: Type, key: string, a: Value | undefined, b: Value | undefined): void {
    this.#members++;
    this.#path.push(fieldElement(key));
    this.walk(type, a, b);
    this.#path.pop();
  }

  #list(type: ListType, a: Value | undefined, b: Value | undefined): void {
    const x = asList(a) ?? [];
    const y = asList(b) ?? [];
    if (type.merge === "atomic" || (x.length === 0 && y.length === 0)) return this.#leaf(a, b);
    if (x.length === 0 || y.length === 0 || !sameValue(x, y)) this.#items(type, x, y);
    this.#container(a, b);
  }

  #items(type: ListType, x: readonly Value[], y: readonly Value[]): void {
    for (const [element, was, now] of sideBySide(groups(type, x), groups(type, y))) this.#item(type, element, was, now);
  }

  #item(type: ListType, element: PathElement, was: readonly Value[], now: readonly Value[]): void {
    this.#path.push(element);
    if (was.length <= 1 && now.length <= 1) {
      if (was[0] !== now[0]) this.walk(type.item, was[0], now[0]);
    } else if (was.length >= 2 && now.length >= 2) {
      if (!sameList(was, now)) this.#here(this.#modified);
    } else if (was.length >= 2) {
      if (now.length === 1) this.walk(type.item, undefined, now[0]);
      this.#here(this.#removed);
    } else {
      if (was.length === 1) this.walk(type.item, was[0], undefined);
      this.#here(this.#added);
    }
    this.#path.pop();
  }

  /**
   * A value without a schema has the type of its JSON. If the types of both sides differ, the old one decides what was
   * removed, and the new one what was added. Null is read as an object.
   */
  #any(type: Extract<Type, { kind: "any" }>, a: Value | undefined, b: Value | undefined): void {
    const ka = kindOf(a);
    const kb = kindOf(b);
    if (ka !== kb && ka !== "none" && kb !== "none") this.#as(ka, type, a, b);
    this.#as(kb === "none" ? ka : kb, type, a, b);
  }

  #as(kind: Kind, type: Extract<Type, { kind: "any" }>, a: Value | undefined, b: Value | undefined): void {
    if (kind === "scalar" || kind === "list") this.#leaf(a, b);
    else this.#object(type, false, a, b);
  }
}

const NONE: readonly Value[] = [];

/** The entries of two lists by element: first those of `before`, then what only `after` has. */
function* sideBySide(
  before: Groups,
  after: Groups,
): Generator<[element: PathElement, was: readonly Value[], now: readonly Value[]]> {
  for (const [element, was] of before) yield [element, was, after.get(element) ?? NONE];
  for (const [element, now] of after) if (!before.has(element)) yield [element, NONE, now];
}

type Groups = ReadonlyMap<PathElement, readonly Value[]>;

/** The entries of a list by element; those without one have no owner. */
function groups(type: ListType, list: readonly Value[]): Map<PathElement, Value[]> {
  const found = new Map<PathElement, Value[]>();
  for (const item of list) {
    const element = elementOrNone(type, item);
    if (element === undefined) continue;
    const same = found.get(element);
    if (same === undefined) found.set(element, [item]);
    else same.push(item);
  }
  return found;
}
