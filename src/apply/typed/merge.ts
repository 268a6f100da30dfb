/**
 * Merges an intent into a live value: values of the intent win, members that it does not have stay (APPLY-13).
 *
 * The result shares every part that the intent does not change with the live value, so a later comparison of the two
 * costs as much as the intent, not as the object. A null in the intent is a value: it replaces scalars and atomic parts,
 * and leaves what is in a granular container (with the other reading of DEC-22, nulls are removed before).
 *
 * @module
 */
import { setMember, isObject } from "../../value/value.ts";
import type { Value, ValueObject } from "../../value/value.ts";
import type { PathElement } from "../fieldpath/index.ts";
import type { AnyType, ListType, MapType, ScalarType, StructType, Type } from "../schema/schema.ts";
import { elementOrNone, memberType } from "./items.ts";
import { sameValue } from "./same.ts";
import type { ScalarEqual } from "./same.ts";

/**
 * Merges `intent` into `live`; neither is changed.
 *
 * @param intent a value without faults for {@link validate}: without duplicates in sets and keyed lists
 * @param scalarEqual where both are equal by it, the live text stays
 */
export function merge(type: Type, live: Value, intent: Value, scalarEqual?: ScalarEqual): Value {
  return mergeValue({ scalarEqual }, type, live, intent);
}

interface Rules {
  readonly scalarEqual: ScalarEqual | undefined;
}

function mergeValue(rules: Rules, type: Type, live: Value, intent: Value): Value {
  if (live === intent) return live;
  switch (type.kind) {
    case "scalar":
      return mergeScalar(rules, type, live, intent);
    case "struct":
    case "map":
      return mergeObject(rules, type, type.atomic, live, intent);
    case "list":
      return mergeList(rules, type, live, intent);
    case "any":
      return mergeAny(rules, type, live, intent);
  }
}

const mergeLeaf = (live: Value, intent: Value): Value => (sameValue(live, intent) ? live : intent);

const mergeScalar = (rules: Rules, type: ScalarType, live: Value, intent: Value): Value =>
  rules.scalarEqual?.(type, live, intent) ? live : mergeLeaf(live, intent);

/** The type of a free value is that of the intent; null is read as an object without members. */
function mergeAny(rules: Rules, type: AnyType, live: Value, intent: Value): Value {
  const leaf = intent !== null && !isObject(intent);
  return leaf ? mergeLeaf(live, intent) : mergeObject(rules, type, false, live, intent);
}

const members = (value: Value): ValueObject | undefined => {
  if (!isObject(value)) return undefined;
  for (const _ in value) return value;
  return undefined;
};

function mergeObject(
  rules: Rules,
  type: StructType | MapType | AnyType,
  atomic: boolean,
  live: Value,
  intent: Value,
): Value {
  const from = members(live);
  const over = members(intent);
  if (atomic || (from === undefined && over === undefined)) return mergeLeaf(live, intent);
  if (over === undefined) return live;
  if (from === undefined) return intent;
  let result: ValueObject | undefined;
  for (const key in over) {
    const was = Object.hasOwn(from, key) ? from[key]! : undefined;
    const now = was === undefined ? over[key]! : mergeValue(rules, memberType(type, key), was, over[key]!);
    if (now !== was) setMember((result ??= { ...from }), key, now);
  }
  return result ?? from;
}

function mergeList(rules: Rules, type: ListType, live: Value, intent: Value): Value {
  const from = Array.isArray(live) ? live : [];
  const over = Array.isArray(intent) ? intent : [];
  if (type.merge === "atomic" || (from.length === 0 && over.length === 0)) return mergeLeaf(live, intent);
  if (over.length === 0) return live;
  if (from.length === 0) return intent;
  const merged = mergeItems(rules, type, from, over);
  return merged.length === from.length && merged.every((item, i) => item === from[i]) ? live : merged;
}

/** The entries of a list with their elements. `first` has no value for an element that repeats. */
interface Indexed {
  readonly elements: readonly (PathElement | undefined)[];
  readonly first: ReadonlyMap<PathElement, Value | undefined>;
}

function indexItems(type: ListType, list: readonly Value[]): Indexed {
  const first = new Map<PathElement, Value | undefined>();
  const elements = list.map((item) => {
    const element = elementOrNone(type, item);
    if (element !== undefined) first.set(element, first.has(element) ? undefined : item);
    return element;
  });
  return { elements, first };
}

/**
 * Interleaves two lists: the order of the intent among its entries, the order of the live list among the others.
 *
 * An entry of the live list alone is added as early as it was there. An entry of both lists is added in the order of the
 * intent, so one that is earlier in the live list is skipped until then. Live `[a b c d]` and intent `[c x a]` give
 * `[b c d x a]`; `[a c]` and `[a b c]` give `[a b c]`.
 */
function mergeItems(rules: Rules, type: ListType, live: readonly Value[], intent: readonly Value[]): Value[] {
  const from = indexItems(type, live);
  const over = indexItems(type, intent);
  const shared = over.elements.filter((element) => element !== undefined && from.first.has(element));
  const out: Value[] = [];
  const taken = new Set<PathElement>();
  let nextShared = 0;
  const take = (element: PathElement): void => {
    taken.add(element);
    const was = from.first.get(element);
    const now = over.first.get(element)!;
    out.push(was === undefined ? now : mergeValue(rules, type.item, was, now));
    if (shared[nextShared] === element) nextShared++;
  };
  let l = 0;
  let r = 0;
  while (l < live.length || r < intent.length) {
    if (l < live.length) {
      const element = from.elements[l];
      if (element === undefined || !over.first.has(element)) {
        out.push(live[l++]!);
        continue;
      }
      if (r < intent.length) {
        if (element === over.elements[r]) {
          take(element);
          l++;
          r++;
          continue;
        }
        if (nextShared < shared.length && shared[nextShared] !== element) {
          l++;
          continue;
        }
      }
      if (taken.has(element)) l++;
    }
    if (r < intent.length) take(over.elements[r++]!);
  }
  return out;
}
