/**
 * Costs that many functions share (CEL-50, CEL-51).
 *
 * @module
 */
import { type Range, MAX_UINT64, add, exactly, multiply, times } from "../range.ts";
import { Dict, List, type Value, sizeOf } from "../values.ts";
import type { Cost, Node } from "./contract.ts";

/** The cost of traversing one character. */
export const WALK = 0.1;
/** The cost of one character of a regular expression. */
const REGEX = 0.25;
/** The cost of a new list. */
export const NEW_LIST = 10;
const ceil = (value: number): number => Math.ceil(value);

/** Traverses the target, or the first argument; with `keepsSize` the result has the same size. */
export const walk = (factor: number, keepsSize = false): Cost => ({
  byName: true,
  estimate: (at, target, args) => {
    const size = at.size((target ?? args[0])!);
    return { cost: times(size, factor), ...(keepsSize ? { size } : {}) };
  },
  spend: ([first]) => ceil(sizeOf(first!) * factor),
});

/** Traverses the argument of `startsWith` and `endsWith`. */
export const WALK_ARGUMENT: Cost = {
  estimate: (at, _target, args) => ({ cost: times(at.size(args[0]!), WALK) }),
  spend: ([first]) => ceil(sizeOf(first!) * WALK),
};

/** Compares two values: traverses the shorter one. */
export const COMPARE: Cost = {
  estimate: (at, target, args) => {
    const [a, b] = [...(target ? [target] : []), ...args].map((node) => at.size(node)) as [Range, Range];
    const max = a.max < b.max ? a.max : b.max;
    return { cost: times({ min: max > 0n ? 1n : 0n, max }, WALK) };
  },
  spend: ([a, b]) => ceil(Math.min(sizeOf(a!), sizeOf(b!)) * WALK),
};

/** Concatenates two texts: traverses both. */
export const CONCAT: Cost = {
  estimate: (at, _target, args) => {
    const size = add(at.size(args[0]!), at.size(args[1]!));
    return { cost: times(size, WALK), size };
  },
  spend: ([a, b]) => ceil((sizeOf(a!) + sizeOf(b!)) * WALK),
};

/** Concatenates two lists without a copy. */
export const CONCAT_LISTS: Cost = {
  estimate: (at, _target, args) => ({ cost: exactly(1), size: add(at.size(args[0]!), at.size(args[1]!)) }),
};

/** Matches a text with a regular expression. */
export const matching = (sized: boolean): Cost => ({
  byName: sized,
  estimate: (at, target, args) => {
    const [text, pattern] = [at.size((target ?? args[0])!), at.size((target ? args[0] : args[1])!)];
    const cost = multiply(times(add(text, exactly(1)), WALK), times(pattern, REGEX));
    return sized ? { cost, size: { min: 0n, max: text.max } } : { cost };
  },
  spend: ([text, pattern]) => ceil((1 + sizeOf(text!)) * WALK) * ceil(sizeOf(pattern!) * REGEX),
});

/** Searches a text in a text. */
export const CONTAINS: Cost = {
  estimate: (at, target, args) => ({
    cost: multiply(times(at.size((target ?? args[0])!), WALK), times(at.size((target ? args[0] : args[1])!), WALK)),
  }),
  spend: ([text, part]) => ceil(sizeOf(text!) * WALK) * ceil(sizeOf(part!) * WALK),
};

/** Searches a value in a list. */
export const IN_LIST: Cost = {
  estimate: (at, _target, args) => ({ cost: times(at.size(args[1]!), 1) }),
  spend: ([, list]) => sizeOf(list!),
};

/** Traverses a list, and its elements where they are texts; or a text. */
export const TRAVERSE: Cost = {
  byName: true,
  estimate: (at, target) => {
    const items = at.items(target!);
    if (!items) return { cost: times(at.size(target!), WALK) };
    const isText = items.type.kind === "string" || items.type.kind === "bytes";
    const each = isText ? add(exactly(1), times(at.size(items), WALK)) : exactly(1);
    return { cost: multiply(at.size(target!), each) };
  },
  spend: ([list]) => traversal(list!),
};

function traversal(value: Value): number {
  if (typeof value === "string") return Math.trunc(Buffer.byteLength(value) * WALK);
  if (value instanceof Uint8Array) return Math.trunc(value.length * WALK);
  if (value instanceof List) {
    let sum = 0;
    for (const item of value) sum += traversal(item);
    return sum;
  }
  if (!(value instanceof Dict)) return 1;
  let sum = 0;
  for (const key of value.keys()) sum += traversal(key) + traversal(value.get(key)!);
  return sum;
}

/** The estimate of a new list that takes `factor` steps for each element of another one. */
export const allocating = (factor: number, size: Range): { cost: Range; size: Range } => ({
  cost: add(add(times(size, factor), exactly(1)), exactly(NEW_LIST)),
  size,
});

/** The actual cost of a new list. */
export const allocated = (factor: number, size: number): number => Math.trunc(size * factor) + 1 + NEW_LIST;

/** The value of an argument that is an int literal. */
export function literalInt(node: Node | undefined, otherwise: bigint): bigint {
  const expr = node?.expr;
  if (expr?.kind !== "const" || typeof expr.value !== "bigint") return otherwise;
  return expr.value < 0n ? 0n : expr.value;
}

/** Replaces parts of a text. */
export const REPLACE: Cost = {
  byName: true,
  estimate: (at, target, args) => {
    const [text, from, to] = [at.size(target!), at.size(args[0]!), at.size(args[1]!)];
    return { cost: times(text, 2 * WALK), size: replacedSize(text, from, to) };
  },
  spend: ([text]) => ceil(sizeOf(text!) * 2 * WALK),
};

const ceilDivided = (a: bigint, b: bigint): bigint => {
  const value = Math.ceil(Number(a) / Number(b));
  return value >= 2 ** 64 ? MAX_UINT64 : BigInt(value);
};

function replacedSize(text: Range, from: Range, to: Range): Range {
  let [min, max, keptMin, keptMax] = [0n, 0n, 0n, 0n];
  if (from.min === 0n) [max, keptMax] = [text.max < MAX_UINT64 ? text.max + 1n : text.max, text.max];
  else if (to.max <= from.min) keptMax = text.max;
  else max = ceilDivided(text.max, from.min);
  if (from.max === 0n) [min, keptMin] = [text.min < MAX_UINT64 ? text.min + 1n : text.min, text.min];
  else if (from.max <= to.min) keptMin = text.min;
  else min = ceilDivided(text.min, from.max);
  return add(multiply({ min, max }, to), { min: keptMin, max: keptMax });
}

export const SPLIT: Cost = {
  byName: true,
  estimate: (at, target, args) => {
    const text = at.size(target!);
    const limit = args[1]?.expr;
    const max = limit?.kind === "const" && typeof limit.value === "bigint" ? BigInt.asUintN(64, limit.value) : text.max;
    return { cost: times(text, 2 * WALK), size: { min: 0n, max } };
  },
  spend: ([text]) => ceil(sizeOf(text!) * 2 * WALK),
};

export const JOIN: Cost = {
  byName: true,
  estimate: (at, target, args) => {
    const list = at.size(target!);
    const items = at.items(target!);
    let size: Range = items ? multiply(list, at.size(items)) : { min: 0n, max: 0n };
    if (args[0]) {
      const between = { min: list.min > 0n ? list.min - 1n : 0n, max: list.max > 0n ? list.max - 1n : 0n };
      size = add(size, multiply(at.size(args[0]), between));
    }
    return { cost: times(size, WALK), size };
  },
  spend: (_args, result) => ceil(sizeOf(result) * 2 * WALK),
};

/** Compares each element of one list with each of another. */
export const sets = (factor: number): Cost => ({
  estimate: (at, _target, args) => ({
    cost: add(times(multiply(at.size(args[0]!), at.size(args[1]!)), factor), exactly(1)),
  }),
  spend: ([a, b]) => 1 + Math.trunc(sizeOf(a!) * sizeOf(b!) * factor),
});

/** One unit, whatever the arguments. */
export const ONE: Cost = { byName: true, estimate: () => ({ cost: exactly(1) }), spend: () => 1 };
