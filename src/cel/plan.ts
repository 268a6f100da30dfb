/**
 * Compiles a checked expression to closures with slots for variables. Literals are folded; a run counts its cost, and ends at
 * the limit (CEL-6, CEL-50, CEL-56).
 *
 * @module
 */
import { checkWork } from "../util/work-limit.ts";
import { ACCU, type Expr, type Comprehension } from "./ast.ts";
import type { Checked } from "./checked.ts";
import type { Overload } from "./library/contract.ts";
import { NO_OVERLOAD, found, indexed } from "./library/standard.ts";
import { ENUMS, MESSAGES, isTypeOfValues, conversionFailure } from "./messages.ts";
import type { BranchOperator, ExpressionObserver } from "./observer.ts";
import { patternOf } from "./patterns.ts";
import { DYN, type Type } from "./types.ts";
import {
  EmptyMessage,
  Dict,
  Duration,
  Entries,
  Failure,
  List,
  NONE,
  Opaque,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
  Values,
  goTypeOf,
  isKey,
  keyText,
  typeNameOf,
} from "./values.ts";

/** The values of variables by slot; a lazy one is a function. */
export type Slots = readonly (Value | undefined | (() => Value))[];

/** The state of a run. */
export class Run {
  readonly variables: Slots;
  readonly locals: Value[] = [];
  readonly limit: number;
  cost = 0;

  constructor(variables: Slots, limit: number) {
    this.variables = variables;
    this.limit = limit;
  }

  spend(cost: number): void {
    this.cost += cost;
    if (this.cost > this.limit) throw COST_LIMIT_EXCEEDED;
  }
}

/** Thrown in a run that exceeds its cost limit. */
export const COST_LIMIT_EXCEEDED: Error = new Error("operation cancelled: actual cost limit exceeded");

/** A compiled node. */
export type Step = (run: Run) => Value;

/** An expression that cannot be planned, since a literal in it fails. */
export class PlanError extends Error {}

/** Compiles an expression; `slots` are the slots of the variables by name. An observer is called by the runs. */
export function plan(checked: Checked, slots: ReadonlyMap<string, number>, observer?: ExpressionObserver): Step {
  const step = new Planner(checked, slots, observer).step(checked.expr);
  if (!observer) return step;
  return (run) => {
    observer.began();
    return step(run);
  };
}

/** A compiled node with the information for its parent. */
interface Part {
  readonly run: Step;
  /** Resolves a name, a member or an element without the cost of the lookup, for further selects. */
  readonly resolve?: Step;
  /** The value of a literal. */
  readonly constant?: Value;
}

class Planner {
  readonly #checked: Checked;
  readonly #slots: ReadonlyMap<string, number>;
  readonly #observer: ExpressionObserver | undefined;
  readonly #scopes: Map<string, number>[] = [];
  #locals = 0;

  constructor(checked: Checked, slots: ReadonlyMap<string, number>, observer: ExpressionObserver | undefined) {
    this.#checked = checked;
    this.#slots = slots;
    this.#observer = observer;
  }

  step(expr: Expr): Step {
    return this.#part(expr).run;
  }

  #part(expr: Expr): Part {
    switch (expr.kind) {
      case "const":
        return literal(constantOf(expr.value));
      case "ident":
        return this.#name(expr, expr.name);
      case "select":
        return this.#select(expr);
      case "call":
        return this.#call(expr);
      case "list":
        return this.#list(expr);
      case "map":
        return this.#map(expr);
      case "message":
        return { run: this.#message(expr) };
      case "comprehension":
        return { run: this.#comprehension(expr.comprehension) };
    }
  }

  #name(expr: Expr, name: string): Part {
    const qualified = this.#checked.qualified.get(expr.id);
    if (qualified?.startsWith("type:")) return typeNamed(qualified.slice(5));
    if (qualified?.startsWith("enum:")) return literal(ENUMS.get(qualified.slice(5))!);
    for (let i = this.#scopes.length - 1; i >= 0 && qualified === undefined; i--) {
      const slot = this.#scopes[i]!.get(name);
      if (slot !== undefined) return attribute((run) => run.locals[slot]!);
    }
    const slot = this.#slots.get(qualified ?? name)!;
    const missing = new Failure(`no such attribute(s): ${qualified ?? name}`);
    return attribute((run) => {
      const value = run.variables[slot];
      return typeof value === "function" ? value() : (value ?? (value === null ? null : missing));
    });
  }

  #select(expr: Expr & { kind: "select" }): Part {
    if (this.#checked.qualified.has(expr.id)) return this.#name(expr, "");
    const resolve = resolverOf(this.#part(expr.of));
    const { field } = expr;
    if (!expr.test) return attribute(memberOf(resolve, field));
    return { run: present(resolve, field) };
  }

  #call(expr: Expr & { kind: "call" }): Part {
    const { name } = expr;
    const parts = expr.args.map((arg) => this.#part(arg));
    const args = this.#observer ? observed(expr, parts, this.#observer) : parts;
    switch (name) {
      case "_&&_":
        return { run: both(args[0]!.run, args[1]!.run, false) };
      case "_||_":
        return { run: both(args[0]!.run, args[1]!.run, true) };
      case "_?_:_":
        return choice(args as [Part, Part, Part]);
      case "@not_strictly_false":
        return { run: notFalse(args[0]!.run) };
      case "_[_]":
      case "_[?_]":
        checkKey(args[1]!.constant);
        return attribute(elementOf(resolverOf(args[0]!), args[1]!, name === "_[?_]"));
      case "_?._":
        return attribute(elementOf(resolverOf(args[0]!), args[1]!, true));
    }
    const isQualified = this.#checked.qualified.has(expr.id);
    const target = expr.target && !isQualified ? this.#part(expr.target) : undefined;
    const all = target ? [target, ...args] : args;
    if (target && (name === "or" || name === "orValue") && args.length === 1) {
      return { run: otherwise(target.run, args[0]!.run, name === "orValue") };
    }
    const types = (target ? [expr.target!, ...expr.args] : expr.args).map((one) => this.#checked.typeOf(one));
    return this.#function(expr, all, types);
  }

  #function(expr: Expr & { kind: "call" }, args: readonly Part[], types: readonly Type[]): Part {
    const overloads = this.#checked.overloadsOf(expr);
    const call = dispatch(expr.name, overloads, types);
    const [first, second] = args;
    if (overloads.some(({ folds }) => folds) && args.length === 1 && first!.constant !== undefined) {
      const value = call.run([first!.constant]);
      if (value instanceof Failure) throw new PlanError(value.message);
      return literal(value);
    }
    if (expr.name === "@in" && overloads.length === 1 && second!.constant instanceof List) {
      const member = memberTest(first!.run, second!.constant);
      if (member) return member;
    }
    if ((expr.name === "find" || expr.name === "findAll") && typeof second!.constant === "string") {
      const pattern = patternOf(second!.constant);
      if (pattern instanceof Failure) throw new PlanError(pattern.message);
    }
    return { run: callOf(args, call) };
  }

  #list({ elements, optional }: Expr & { kind: "list" }): Part {
    const parts = elements.map((element) => this.#part(element));
    if (optional.size === 0 && parts.every(({ constant }) => constant !== undefined)) {
      return literal(new Values(parts.map(({ constant }) => constant!)));
    }
    const steps = parts.map(({ run }) => run);
    return {
      run: (run) => {
        const values: Value[] = [];
        for (const [i, step] of steps.entries()) {
          const value = step(run);
          if (value instanceof Failure) return spent(run, 10, value);
          if (!optional.has(i)) values.push(value);
          else if (!(value instanceof Optional)) return spent(run, 10, NO_OVERLOAD);
          else if (value.value !== undefined) values.push(value.value);
        }
        return spent(run, 10, new Values(values));
      },
    };
  }

  #map({ entries }: Expr & { kind: "map" }): Part {
    const parts = entries.map(({ key, value, optional }) => ({
      key: this.#part(key),
      value: this.#part(value),
      optional,
    }));
    if (
      parts.every(({ key, value, optional }) => !optional && key.constant !== undefined && value.constant !== undefined)
    ) {
      return literal(new Entries(parts.map(({ key, value }) => [key.constant!, value.constant!] as const)));
    }
    return {
      run: (run) => {
        const made: [Value, Value][] = [];
        for (const { key, value, optional } of parts) {
          const k = key.run(run);
          if (k instanceof Failure) return spent(run, 30, k);
          const v = value.run(run);
          if (v instanceof Failure) return spent(run, 30, v);
          if (!isKey(k)) return spent(run, 30, new Failure(`unsupported key type: ${typeNameOf(k)}`));
          if (!optional) made.push([k, v]);
          else if (v instanceof Optional && v.value !== undefined) made.push([k, v.value]);
        }
        return spent(run, 30, new Entries(made));
      },
    };
  }

  #message(expr: Expr & { kind: "message" }): Step {
    const message = this.#checked.messages.get(expr.id)!;
    const fields = expr.fields.map(({ name, value, optional }) => {
      return { name, optional, run: this.step(value), fits: guardOf(message.fields.get(name) ?? DYN) };
    });
    return (run) => {
      const values = new Map<string, Value>();
      for (const { name, optional, run: step, fits } of fields) {
        const own = step(run);
        if (own instanceof Failure) return spent(run, 40, own);
        const value = optional ? (own instanceof Optional ? own.value : NO_OVERLOAD) : own;
        if (value === undefined) continue;
        if (!fits(value))
          return spent(run, 40, value instanceof Failure ? value : conversionFailure(message, name, value));
        values.delete(name);
        values.set(name, value);
      }
      return spent(run, 40, message.make(values));
    };
  }

  #comprehension(comprehension: Comprehension): Step {
    const range = this.step(comprehension.range);
    const init = this.step(comprehension.init);
    const [accu, iter, iter2] = [this.#locals++, this.#locals++, this.#locals++];
    this.#scopes.push(new Map([[comprehension.accu, accu]]));
    const inner = new Map([[comprehension.iter, iter]]);
    if (comprehension.iter2 !== undefined) inner.set(comprehension.iter2, iter2);
    this.#scopes.push(inner);
    const cond = this.step(comprehension.cond);
    const step = this.step(comprehension.step);
    this.#scopes.pop();
    const result = this.step(comprehension.result);
    this.#scopes.pop();
    const two = comprehension.iter2 !== undefined;
    return (run) => {
      const over = range(run);
      const { locals } = run;
      locals[accu] = init(run);
      if (over instanceof List) {
        for (let i = 0; i < over.size; i++) {
          locals[iter] = two ? BigInt(i) : over.at(i);
          if (two) locals[iter2] = over.at(i);
          if (cond(run) === false) break;
          locals[accu] = step(run);
        }
      } else if (over instanceof Dict) {
        for (const key of over.keys()) {
          locals[iter] = key;
          if (two) locals[iter2] = over.get(key)!;
          if (cond(run) === false) break;
          locals[accu] = step(run);
        }
      } else return over instanceof Failure ? over : notIterable(over, two);
      return result(run);
    };
  }
}

/** A type value; messages that become values of other types have none. */
function typeNamed(name: string): Part {
  const message = MESSAGES.get(name);
  if (message && !isTypeOfValues(message)) throw new PlanError(`reference to undefined type: ${name}`);
  return literal(new TypeValue(name));
}

const notIterable = (value: Value, two: boolean): Failure =>
  new Failure(
    two
      ? `unsupported comprehension range type: ${goTypeOf(value)}`
      : `got '${goTypeOf(value)}', expected iterable type`,
  );

const literal = (value: Value): Part => ({ run: () => value, constant: value });

function spent(run: Run, cost: number, value: Value): Value {
  run.spend(cost);
  return value;
}

function constantOf(value: (Expr & { kind: "const" })["value"]): Value {
  return typeof value === "object" && value !== null && "uint" in value ? new Uint(value.uint) : value;
}

/** A lookup: it costs one unit, and one for each member of its path. */
const attribute = (resolve: Step): Part => ({
  resolve,
  run: (run) => {
    const value = resolve(run);
    run.spend(1);
    return value;
  },
});

/** Resolves the operand of a select or an index. */
const resolverOf = ({ resolve, run }: Part): Step => resolve ?? run;

function memberOf(of: Step, field: string): Step {
  const missing = new Failure(`no such key: ${field}`);
  return (run) => {
    const value = of(run);
    if (value instanceof Failure) return value;
    if (value instanceof Optional) return ofOptional(run, value, field);
    run.spend(1);
    if (value instanceof List || value instanceof EmptyMessage) return indexed(value, field);
    const member = value instanceof Dict ? value.get(field) : undefined;
    return member === undefined ? missing : member;
  };
}

/** The member of an optional value, as an optional value. */
function ofOptional(run: Run, { value }: Optional, key: Value): Value {
  if (value === undefined) return NONE;
  const inner = found(value, key);
  if (inner === undefined) return NONE;
  if (inner instanceof Failure) return inner;
  run.spend(1);
  return new Optional(inner);
}

/** Checks that a literal key may be a key of maps or lists. */
function checkKey(key: Value | undefined): void {
  if (key === undefined || (key !== null && isKey(key))) return;
  throw new PlanError(`invalid qualifier type: ${goTypeOf(key)}`);
}

function elementOf(of: Step, key: Part, optional: boolean): Step {
  const at = resolverOf(key);
  return (run) => {
    const value = of(run);
    if (value instanceof Failure) return value;
    const index = at(run);
    if (index instanceof Failure) return optional || value instanceof Optional ? index : spent(run, 1, index);
    if (value instanceof Optional) return ofOptional(run, value, index);
    if (optional) return ofOptional(run, new Optional(value), index);
    run.spend(1);
    return indexed(value, index);
  };
}

function present(of: Step, field: string): Step {
  return (run) => {
    const value = of(run);
    if (value instanceof Failure) return value;
    if (value instanceof Optional) {
      const inner = value.value === undefined ? undefined : found(value.value, field);
      if (inner === undefined || inner instanceof Failure) return inner ?? false;
      run.spend(1);
      return true;
    }
    run.spend(1);
    if (value instanceof List || value instanceof EmptyMessage) return indexed(value, field);
    // A value without members is false: a policy calls has(object.x) also for a delete, where object is null.
    return value instanceof Dict && value.get(field) !== undefined;
  };
}

const BRANCHES: Readonly<Record<string, BranchOperator>> = { "_?_:_": "?:", "_&&_": "&&", "_||_": "||" };

/** The operands of a call; the first one of an operator with branches notifies the observer of the branch that is taken. */
function observed(
  expr: Expr & { kind: "call" },
  parts: readonly Part[],
  observer: ExpressionObserver,
): readonly Part[] {
  const operator = BRANCHES[expr.name];
  const isOfMacro = expr.args.some((arg) => arg.kind === "ident" && arg.name === ACCU);
  const [first, ...rest] = parts;
  if (!operator || isOfMacro || !first) return parts;
  const { at } = expr;
  const taken = {
    true: observer.branch({ operator, at, when: true }),
    false: observer.branch({ operator, at, when: false }),
  };
  const run: Step = (under) => {
    const value = first.run(under);
    if (typeof value === "boolean") taken[value ? "true" : "false"]();
    return value;
  };
  return [{ run }, ...rest];
}

/** `&&` and `||`: one operand alone may decide, even where the other one fails. */
function both(left: Step, right: Step, decides: boolean): Step {
  return (run) => {
    const a = left(run);
    if (a === decides) return a;
    const b = right(run);
    if (b === decides) return b;
    if (typeof a === "boolean" && typeof b === "boolean") return !decides;
    if (a instanceof Failure) return a;
    return b instanceof Failure && typeof a === "boolean" ? b : NO_OVERLOAD;
  };
}

/** A conditional; the lookup of its result costs nothing more. */
function choice([condition, yes, no]: readonly [Part, Part, Part]): Part {
  const [a, b] = [resolverOf(yes), resolverOf(no)];
  const run: Step = (under) => {
    const value = condition.run(under);
    if (value === true) return a(under);
    if (value === false) return b(under);
    return value instanceof Failure ? value : NO_OVERLOAD;
  };
  return { run, resolve: run };
}

const notFalse =
  (of: Step): Step =>
  (run) => {
    const value = of(run);
    run.spend(1);
    return value !== false;
  };

function otherwise(target: Step, other: Step, isValue: boolean): Step {
  return (run) => {
    const value = target(run);
    if (value instanceof Failure) return value;
    if (!(value instanceof Optional)) return value;
    if (value.value === undefined) return other(run);
    return isValue ? value.value : value;
  };
}

const SET_MEMBERS = new Set(["string", "bigint", "number", "boolean"]);

/** `in` with a list of literals: a lookup in a set, without a cost. */
function memberTest(of: Step, list: List): Part | undefined {
  if (list.size === 0) return literal(false);
  const members = new Set<string>();
  for (const value of list) {
    if (!SET_MEMBERS.has(typeof value) && !(value instanceof Uint)) return undefined;
    members.add(keyText(value));
  }
  return {
    run: (run) => {
      const value = of(run);
      return value instanceof Failure ? value : members.has(keyText(value));
    },
  };
}

const COMPARED = ["bool", "int", "uint", "double", "string", "bytes", "timestamp", "duration"];
/** The types of left operands that an operator supports, whatever the right operand is. */
const OPERANDS: Readonly<Record<string, readonly string[]>> = {
  "_<_": COMPARED,
  "_<=_": COMPARED,
  "_>_": COMPARED,
  "_>=_": COMPARED,
  "_+_": ["int", "uint", "double", "string", "bytes", "list", "timestamp", "duration"],
  "_-_": ["int", "uint", "double", "timestamp", "duration"],
  "_*_": ["int", "uint", "double"],
  "_/_": ["int", "uint", "double"],
  "_%_": ["int", "uint"],
  "-_": ["bool", "int", "double", "duration"],
};

/** Types with member functions in cel-go: their errors do not name the function. */
const RECEIVERS = ["string", "timestamp", "duration"];

interface Call {
  readonly run: (args: Value[]) => Value;
  /** The overload, where it is known at compile time. */
  readonly only: Overload | undefined;
  readonly spend: (args: Value[], result: Value) => number;
}

const GUARDS: Readonly<Record<string, (value: Value) => boolean>> = {
  null: (value) => value === null,
  bool: (value) => typeof value === "boolean",
  int: (value) => typeof value === "bigint",
  uint: (value) => value instanceof Uint,
  double: (value) => typeof value === "number",
  string: (value) => typeof value === "string",
  bytes: (value) => value instanceof Uint8Array,
  timestamp: (value) => value instanceof Timestamp,
  duration: (value) => value instanceof Duration,
  list: (value) => value instanceof List,
  map: (value) => value instanceof Dict,
  type: (value) => value instanceof TypeValue,
};

/** Functions that search in a text: their errors do not name them. */
const SEARCHES = new Set(["contains", "startsWith", "endsWith", "matches", "find", "findAll"]);

const always = (): boolean => true;

function guardOf(type: Type): (value: Value) => boolean {
  if (type.kind === "opaque") {
    return type.name === "optional_type"
      ? (value) => value instanceof Optional
      : (value) => value instanceof Opaque && value.typeName === type.name;
  }
  return GUARDS[type.kind] ?? always;
}

/** Whether the type of an argument selects an overload at compile time. */
const isCertain = (type: Type, expected: Type): boolean =>
  expected.kind === "param" ||
  expected.kind === "dyn" ||
  (type.kind === expected.kind && type.kind !== "opaque") ||
  (type.kind === "opaque" && type.name === expected.name);

function dispatch(name: string, overloads: readonly Overload[], types: readonly Type[]): Call {
  const [only] = overloads;
  const isOnly = overloads.length === 1 && only!.params.every((expected, i) => isCertain(types[i]!, expected));
  const rows = overloads.map((overload) => ({ overload, guards: overload.params.map(guardOf) }));
  const isKnownCost = only?.cost.spend !== undefined && (overloads.length === 1 || only.cost.byName === true);
  const find = (args: Value[]): Overload | undefined =>
    isOnly ? only : rows.find(({ guards }) => guards.every((fits, i) => fits(args[i]!)))?.overload;
  const operands = OPERANDS[name];
  const isKnown = (first: Value): boolean =>
    name === "!_" ||
    RECEIVERS.some((kind) => GUARDS[kind]!(first)) ||
    (operands
      ? operands.some((kind) => GUARDS[kind]!(first))
      : rows.some(({ guards }) => guards.length > 1 && guards[0]!(first)));
  return {
    only: isOnly ? only : undefined,
    run(args) {
      const overload = find(args);
      if (!overload) return noOverload(overloads[0]?.name ?? name, args, isKnown);
      return (overload.run as (...all: Value[]) => Value)(...args);
    },
    // Where the overload is chosen at run time, only a cost of all overloads is counted.
    spend: (args, result) => (isKnownCost ? only!.cost.spend!(args, result) : 1),
  };
}

/** Functions that cel-go dispatches by traits of values, like operators. */
const WITH_TRAITS = new Set(["size", "sort"]);

/** The failure of a call without a matching overload; an operator is not named where it supports its left operand. */
function noOverload(name: string, args: readonly Value[], isKnown: (first: Value) => boolean): Failure {
  if (SEARCHES.has(name)) return NO_OVERLOAD;
  if (/^[a-z]/i.test(name) && !WITH_TRAITS.has(name)) {
    return new Failure(`no such overload: ${name}(${args.map(typeNameOf).join(", ")})`);
  }
  return args.length > 0 && isKnown(args[0]!) ? NO_OVERLOAD : new Failure(`no such overload: ${name}`);
}

/** Longer texts may have to be processed in a worker thread, see `work-limit.ts`. */
const WORKER_THRESHOLD = 4096;

/** Checks the length of an argument: a function of a long text can take long whatever it costs. @throws WorkTooLong */
function checkLength(value: Value): void {
  if (typeof value === "string" && value.length > WORKER_THRESHOLD) checkWork(value.length / 10);
}

/** A call: up to two arguments are all evaluated, more only until one fails. */
function callOf(args: readonly Part[], call: Call): Step {
  const steps = args.map(({ run }) => run);
  const { only } = call;
  const [a, b] = steps as [Step, Step];
  if (only && steps.length === 2) {
    const run = only.run as (x: Value, y: Value) => Value;
    const { spend } = only.cost;
    return (under) => {
      const [x, y] = [a(under), b(under)];
      checkLength(x);
      checkLength(y);
      const value = x instanceof Failure ? x : y instanceof Failure ? y : run(x, y);
      under.spend(spend ? spend([x, y], value) : 1);
      return value;
    };
  }
  if (steps.length > 2) return callOfMany(steps, call);
  return (under) => {
    const values = steps.map((step) => step(under));
    values.forEach(checkLength);
    const failed = values.find((value) => value instanceof Failure);
    const value = failed ?? call.run(values);
    under.spend(call.spend(values, value));
    return value;
  };
}

function callOfMany(steps: readonly Step[], call: Call): Step {
  return (under) => {
    const values: Value[] = [];
    for (const step of steps) {
      const value = step(under);
      if (value instanceof Failure) return value;
      checkLength(value);
      values.push(value);
    }
    const value = call.run(values);
    under.spend(call.spend(values, value));
    return value;
  };
}
