/**
 * The libraries of lists and sets (CEL-16, CEL-17, CEL-18).
 *
 * @module
 */
import { Duration, Failure, List, type Value, Values, compare, equals, keyText, sizeOf, Uint } from "../values.ts";
import { MAX_UINT64, multiply } from "../range.ts";
import { TRAVERSE, WALK, allocated, allocating, literalInt, sets } from "./costs.ts";
import { type Cost, type Overload, fn } from "./contract.ts";
import { NO_OVERLOAD, int } from "./standard.ts";

const ORDERED = ["int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes"];
const SUMMED = ["int", "uint", "double", "duration"];

function isSorted(list: List): Value {
  for (let i = 1; i < list.size; i++) {
    const order = compare(list.at(i - 1), list.at(i));
    if (order === undefined) return NO_OVERLOAD;
    if (order > 0) return false;
  }
  return true;
}

const extreme =
  (name: string, isBetter: (order: number) => boolean) =>
  (list: List): Value => {
    if (list.size === 0) return new Failure(`${name} called on empty list`);
    let found = list.at(0);
    for (let i = 1; i < list.size; i++) {
      const one = list.at(i);
      const order = compare(one, found);
      if (order === undefined) return NO_OVERLOAD;
      if (isBetter(order)) found = one;
    }
    return found;
  };

const ZEROS: Readonly<Record<string, Value>> = { int: 0n, uint: new Uint(0n), double: 0, duration: new Duration(0n) };

function plus(a: Value, b: Value): Value {
  if (typeof a === "bigint" && typeof b === "bigint") return int(a + b);
  if (typeof a === "number" && typeof b === "number") return a + b;
  if (a instanceof Duration && b instanceof Duration) return new Duration(a.nanos + b.nanos);
  if (a instanceof Uint && b instanceof Uint) {
    return a.value + b.value >= 2n ** 64n ? new Failure("unsigned integer overflow") : new Uint(a.value + b.value);
  }
  return NO_OVERLOAD;
}

const sum =
  (zero: Value) =>
  (list: List): Value => {
    let total = zero;
    for (const one of list) {
      total = plus(total, one);
      if (total instanceof Failure) return total;
    }
    return total;
  };

const indexOf = (list: List, value: Value): Value => {
  for (let i = 0; i < list.size; i++) if (equals(list.at(i), value)) return BigInt(i);
  return -1n;
};

const lastIndexOf = (list: List, value: Value): Value => {
  for (let i = list.size - 1; i >= 0; i--) if (equals(list.at(i), value)) return BigInt(i);
  return -1n;
};

function slice(list: List, from: bigint, to: bigint): Value {
  const wrong = (why: string): Failure => new Failure(`cannot slice(${from}, ${to}), ${why}`);
  if (from < 0n || to < 0n) return wrong("negative indexes not supported");
  if (from > to) return wrong("start index must be less than or equal to end index");
  if (to > BigInt(list.size)) return wrong(`list is length ${list.size}`);
  return new Values([...list].slice(Number(from), Number(to)));
}

function flatten(list: List, depth = 1n): Value {
  if (depth < 0n) return new Failure("level must be non-negative");
  const out: Value[] = [];
  const add = (from: List, left: bigint): void => {
    for (const one of from) {
      if (one instanceof List && left > 0n) add(one, left - 1n);
      else out.push(one);
    }
  };
  add(list, depth > 1000n ? 1000n : depth);
  return new Values(out);
}

/** Sorts values by their keys, which must have one comparable type. */
function sorted(values: readonly Value[], keys: readonly Value[]): Value {
  const types = new Set(
    keys.map((key) => (typeof key === "object" && key !== null ? key.constructor.name : typeof key)),
  );
  if (types.size > 1) return new Failure("list elements must have the same type");
  if (keys.length > 0 && compare(keys[0]!, keys[0]!) === undefined)
    return new Failure("list elements must be comparable");
  const order = [...keys.keys()].toSorted((a, b) => compare(keys[a]!, keys[b]!) ?? 0);
  return new Values(order.map((i) => values[i]!));
}

function sortBy(list: List, keys: List): Value {
  return sorted([...list], [...keys]);
}

function distinct(list: List): Value {
  const seen = new Set<string>();
  const out: Value[] = [];
  for (const one of list) {
    const text = keyText(one);
    const isNew = text === "?" ? !out.some((other) => equals(other, one)) : !seen.has(text);
    if (!isNew) continue;
    seen.add(text);
    out.push(one);
  }
  return new Values(out);
}

/** The numbers from 0 to n - 1, computed on access. */
class Numbers extends List {
  readonly size: number;

  constructor(size: number) {
    super();
    this.size = size;
  }

  at(index: number): Value {
    return BigInt(index);
  }
}

const MAX_RANGE = 10_000_000n;

function numbers(count: bigint): Value {
  if (count < 0n) return new Values([]);
  return count > MAX_RANGE
    ? new Failure(`lists.range(${count}): expected at most ${MAX_RANGE}`)
    : new Numbers(Number(count));
}

const containsAll = (a: List, b: List): boolean => {
  const texts = new Set<string>();
  const others: Value[] = [];
  for (const one of a) {
    const text = keyText(one);
    if (text === "?") others.push(one);
    else texts.add(text);
  }
  for (const one of b) {
    const text = keyText(one);
    if (text === "?" ? !others.some((other) => equals(other, one)) : !texts.has(text)) return false;
  }
  return true;
};

const intersects = (a: List, b: List): boolean => {
  for (const one of a) for (const other of b) if (equals(one, other)) return true;
  return false;
};

const isText = (type: string): boolean => type === "string" || type === "bytes";

const SLICE: Cost = {
  estimate: (at, target, args) => {
    const [from, to] = [literalInt(args[0], 0n), literalInt(args[1], at.size(target!).max)];
    const size = BigInt.asUintN(64, to - from);
    return allocating(1, { min: size, max: size });
  },
  spend: (_args, result) => allocated(1, sizeOf(result)),
};

const FLATTEN: Cost = {
  estimate: (at, target, args) => {
    const depth = args.length === 1 ? literalInt(args[0], MAX_UINT64) : 1n;
    return allocating(Number(depth), at.size(target!));
  },
  spend: (args) => allocated(args.length === 2 ? Number(args[1]) : 1, sizeOf(args[0]!)),
};

const REVERSE: Cost = {
  estimate: (at, target) => allocating(1, at.size(target!)),
  spend: (_args, result) => allocated(1, sizeOf(result)),
};

const RANGE: Cost = {
  estimate: (_at, _target, args) => {
    const size = literalInt(args[0], MAX_UINT64);
    return allocating(1, { min: size, max: size });
  },
  spend: (_args, result) => allocated(1, sizeOf(result)),
};

/** The cost of comparing each element with each other one. */
function comparedWithEach(list: Value): number {
  if (!(list instanceof List)) return 1;
  const first = list.size === 0 ? undefined : list.at(0);
  const factor = typeof first === "string" || first instanceof Uint8Array ? 2 + WALK : 2;
  return allocated(factor, list.size * list.size);
}

const DISTINCT: Cost = {
  estimate: (at, target) => {
    const size = at.size(target!);
    return allocating(2, multiply(size, size));
  },
  spend: ([list]) => comparedWithEach(list!),
};

const sorting = (type: string): Cost => ({
  estimate: (at, target) => {
    const size = at.size(target!);
    return allocating(isText(type) ? 2 + WALK : 2, multiply(size, size));
  },
  spend: ([list]) => comparedWithEach(list!),
});

const sortingBy = (type: string): Cost => ({
  estimate: (at, _target, args) => {
    const size = at.size(args[0]!);
    return allocating(isText(type) ? 2 + WALK : 2, multiply(size, size));
  },
  spend: ([, keys]) => comparedWithEach(keys!),
});

/** Functions on lists and sets. */
export const LIST_FUNCTIONS: readonly Overload[] = [
  ...ORDERED.flatMap((type) => [
    fn(`list<${type}>.isSorted(): bool`, isSorted, TRAVERSE),
    fn(
      `list<${type}>.min(): ${type}`,
      extreme("min", (order) => order < 0),
      TRAVERSE,
    ),
    fn(
      `list<${type}>.max(): ${type}`,
      extreme("max", (order) => order > 0),
      TRAVERSE,
    ),
  ]),
  ...SUMMED.map((type) => fn(`list<${type}>.sum(): ${type}`, sum(ZEROS[type]!), TRAVERSE)),
  fn("list<A>.indexOf(A): int", indexOf, TRAVERSE),
  fn("list<A>.lastIndexOf(A): int", lastIndexOf, TRAVERSE),
  fn("list<A>.slice(int, int): list<A>", slice, SLICE),
  fn("list<list<A>>.flatten(): list<A>", (list: List) => flatten(list), FLATTEN),
  fn("list<dyn>.flatten(int): list<dyn>", flatten, FLATTEN),
  ...ORDERED.map((type) =>
    fn(`list<${type}>.sort(): list<${type}>`, (list: List) => sorted([...list], [...list]), sorting(type)),
  ),
  ...ORDERED.map((type) => fn(`list<A>.@sortByAssociatedKeys(list<${type}>): list<A>`, sortBy, sortingBy(type))),
  fn("list<A>.distinct(): list<A>", distinct, DISTINCT),
  fn("list<A>.reverse(): list<A>", (list: List) => new Values([...list].toReversed()), REVERSE),
  fn("|lists.range(int): list<int>", numbers, RANGE),
  fn("|sets.contains(list<A>, list<A>): bool", containsAll, sets(1)),
  fn("|sets.equivalent(list<A>, list<A>): bool", (a: List, b: List) => containsAll(a, b) && containsAll(b, a), sets(2)),
  fn("|sets.intersects(list<A>, list<A>): bool", intersects, sets(1)),
];
