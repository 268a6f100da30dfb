/**
 * Evaluates a JSONPath on a value (CRD-33).
 *
 * @module
 */
import { type Value, isObject } from "../../value/value.ts";
import type { Operand, Operator, Path, Step } from "./parse.ts";

/** The number of values that may still be visited; a path that needs more has no result. */
export interface Budget {
  left: number;
}

/** The first value that a path finds; undefined when it finds none. */
export function findFirst(value: Value, path: Path, budget: Budget): Value | undefined {
  for (const found of find(value, path, budget)) return found;
  return undefined;
}

/** Whether one more value may be visited. */
const spend = (budget: Budget): boolean => --budget.left >= 0;

/** The results of a path, evaluated lazily. */
export function* find(value: Value, path: Path, budget: Budget): Generator<Value> {
  if (path.length === 0) {
    yield value;
    return;
  }
  // A stack of the results of each step, because a path may have more steps than calls can be nested.
  const open: Iterator<Value>[] = [stepResults(value, path[0]!, budget)];
  for (let found = open.at(-1); found; found = open.at(-1)) {
    if (!spend(budget)) return;
    const next = found.next();
    if (next.done) open.pop();
    else if (open.length === path.length) yield next.value;
    else open.push(stepResults(next.value, path[open.length]!, budget));
  }
}

function* stepResults(value: Value, step: Step, budget: Budget): Generator<Value> {
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
      for (const element of Array.isArray(value) ? value : []) {
        if (!spend(budget)) return;
        if (holds(element, step, budget)) yield element;
      }
      return;
    case "union":
      for (const path of step.paths) yield* find(value, path, budget);
  }
}

function* below(value: Value): Generator<Value> {
  if (Array.isArray(value)) yield* value;
  else if (isObject(value)) for (const key in value) yield value[key]!;
}

/** A value and all below it, outer ones first. */
function* everything(value: Value, budget: Budget): Iterable<Value> {
  const open: Iterator<Value>[] = [[value].values()];
  for (let found = open.at(-1); found; found = open.at(-1)) {
    if (!spend(budget)) return;
    const next = found.next();
    if (next.done) {
      open.pop();
      continue;
    }
    yield next.value;
    open.push(below(next.value)[Symbol.iterator]());
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
  const a = valueOf(element, left, budget);
  if (operator === "exists" || !right) return a !== undefined;
  const b = valueOf(element, right, budget);
  return a !== undefined && b !== undefined && compare(a, b, operator);
}

const valueOf = (element: Value, operand: Operand, budget: Budget): Value | undefined =>
  "path" in operand ? findFirst(element, operand.path, budget) : operand.value;

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
