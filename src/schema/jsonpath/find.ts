/**
 * What a JSONPath finds in a value (CRD-33).
 *
 * @module
 */
import { type Value, isObject } from "../../value/value.ts";
import type { Operand, Operator, Path, Step } from "./parse.ts";

/** Values that are looked at for one path in one object: a path that needs more finds nothing. */
const MOST_LOOKED_AT = 20_000;

/** The first value that a path finds; undefined when it finds none. */
export function findFirst(value: Value, path: Path): Value | undefined {
  return find(value, path, { left: MOST_LOOKED_AT })[0];
}

interface Budget {
  left: number;
}

function find(value: Value, path: Path, budget: Budget): readonly Value[] {
  let found: readonly Value[] = [value];
  for (const step of path) {
    const next: Value[] = [];
    for (const one of found) {
      if (--budget.left < 0) return [];
      for (const below of takeStep(one, step, budget)) {
        if (--budget.left < 0) return [];
        next.push(below);
      }
    }
    found = next;
  }
  return found;
}

function* takeStep(value: Value, step: Step, budget: Budget): Iterable<Value> {
  switch (step.kind) {
    case "member":
      if (isObject(value) && Object.hasOwn(value, step.name)) yield value[step.name]!;
      return;
    case "all":
      yield* below(value);
      return;
    case "below":
      yield* everything(value, budget);
      return;
    case "slice":
      if (Array.isArray(value)) yield* sliceOf(value, step);
      return;
    case "filter":
      for (const element of Array.isArray(value) ? value : []) if (holds(element, step, budget)) yield element;
      return;
    case "union":
      for (const path of step.paths) yield* find(value, path, budget);
  }
}

const below = (value: Value): Iterable<Value> =>
  Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];

/** A value and all below it, that of the outside first. */
function* everything(value: Value, budget: Budget): Iterable<Value> {
  const waiting: Value[] = [value];
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    if (--budget.left < 0) return;
    yield one;
    waiting.push(...[...below(one)].slice(0, Math.max(0, budget.left)).toReversed());
  }
}

function* sliceOf(list: readonly Value[], { from, to, by, one }: Extract<Step, { kind: "slice" }>): Iterable<Value> {
  const place = (index: number): number => (index < 0 ? index + list.length : index);
  const start = place(from ?? 0);
  if (one) {
    if (start >= 0 && start < list.length) yield list[start]!;
    return;
  }
  const end = Math.min(to === undefined ? list.length : place(to), list.length);
  if (start < 0 || by < 1) return;
  for (let i = start; i < end; i += by) yield list[i]!;
}

function holds(element: Value, { left, operator, right }: Extract<Step, { kind: "filter" }>, budget: Budget): boolean {
  const [a] = valuesOf(element, left, budget);
  if (operator === "exists" || !right) return a !== undefined;
  const [b] = valuesOf(element, right, budget);
  return a !== undefined && b !== undefined && compare(a, b, operator);
}

const valuesOf = (element: Value, operand: Operand, budget: Budget): readonly Value[] =>
  "path" in operand ? find(element, operand.path, budget) : [operand.value];

function compare(a: Value, b: Value, operator: Operator): boolean {
  if (typeof a !== typeof b || typeof a === "object") return operator === "!=";
  switch (operator) {
    case "==":
      return a === b;
    case "!=":
      return a !== b;
    case "<":
      return a! < b!;
    case "<=":
      return a! <= b!;
    case ">":
      return a! > b!;
    default:
      return a! >= b!;
  }
}
