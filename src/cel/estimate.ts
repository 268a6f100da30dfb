/**
 * Estimates the cost of an expression before it runs (CEL-50..53).
 *
 * @module
 */
import { ACCU, type Expr, type Comprehension } from "./ast.ts";
import type { Checked } from "./checked.ts";
import type { Environment } from "./environment.ts";
import type { Estimate, EstimateContext, Node, Overload } from "./library/contract.ts";
import { MAX_UINT64, type Range, UNKNOWN, ZERO, add, exactly, multiply, union } from "./range.ts";
import { type Type, isOptional } from "./types.ts";
import { pointsOf } from "./values.ts";

/** The sizes of the elements of a list or map that the expression makes. */
interface Members {
  readonly isList: boolean;
  readonly key: Range;
  readonly value: Range;
}

interface Local {
  readonly path: readonly string[] | undefined;
  readonly size: Range | undefined;
  readonly members: Members | undefined;
}

const ONE = exactly(1);
const NOTHING: Range = { min: MAX_UINT64, max: 0n };

/** The smallest and the largest cost of an expression. */
export const estimate = (checked: Checked, env: Environment): Range => new Estimator(checked, env).cost(checked.expr);

class Estimator implements EstimateContext {
  readonly #checked: Checked;
  readonly #env: Environment;
  readonly #locals = new Map<string, Local[]>();
  readonly #paths = new Map<number, readonly string[]>();
  readonly #sizes = new Map<number, Range>();
  readonly #members = new Map<number, Members>();

  constructor(checked: Checked, env: Environment) {
    this.#checked = checked;
    this.#env = env;
  }

  cost(expr: Expr): Range {
    switch (expr.kind) {
      case "const":
        return ZERO;
      case "ident":
        this.#paths.set(expr.id, this.#local(expr.name)?.path ?? [this.#checked.qualified.get(expr.id) ?? expr.name]);
        return ONE;
      case "select":
        return this.#select(expr);
      case "call":
        return this.#call(expr);
      case "list":
        return this.#list(expr);
      case "map":
        return this.#map(expr);
      case "message":
        return this.#message(expr);
      case "comprehension":
        return isBinding(expr.comprehension) ? this.#binding(expr) : this.#comprehension(expr);
    }
  }

  #local(name: string): Local | undefined {
    return this.#locals.get(name)?.at(-1);
  }

  #push(name: string, local: Local): void {
    const stack = this.#locals.get(name);
    if (stack) stack.push(local);
    else this.#locals.set(name, [local]);
  }

  #pop(name: string): void {
    this.#locals.get(name)!.pop();
  }

  #select(expr: Expr & { kind: "select" }): Range {
    const name = this.#checked.qualified.get(expr.id);
    if (name !== undefined) {
      this.#paths.set(expr.id, [name]);
      return ONE;
    }
    const of = this.cost(expr.of);
    if (expr.test) return of;
    const { kind } = this.#checked.typeOf(expr.of);
    this.#paths.set(expr.id, [...(this.#path(expr.of) ?? []), expr.field]);
    return kind === "map" || kind === "struct" || kind === "param" ? add(of, ONE) : of;
  }

  #call(expr: Expr & { kind: "call" }): Range {
    const { args, target } = expr;
    if (expr.name === "dyn" && !target) {
      const own = this.cost(args[0]!);
      this.#copy(expr, args[0]!);
      return add(ONE, own);
    }
    const costs = args.map((arg) => this.cost(arg));
    const nodes = args.map((arg) => this.#node(arg));
    const overloads = this.#checked.overloadsOf(expr);
    if (overloads.length === 0) return ZERO;
    const isMember = target !== undefined && !this.#checked.qualified.has(expr.id);
    const before = isMember ? this.cost(target) : ZERO;
    const targetNode = isMember ? this.#node(target) : undefined;
    let cost = NOTHING;
    let size: Range | undefined;
    for (const overload of overloads) {
      const one = this.#overload(expr, overload, targetNode, nodes, costs);
      cost = union(cost, one.cost);
      if (one.size) size = size ? union(size, one.size) : one.size;
      if (expr.name === "_[_]" || expr.name === "_[?_]") {
        if (!isOptional(overload.params[0]!) && expr.name === "_[_]") {
          size = this.#membersOf(args[0]!)?.value;
          const last = overload.params[0]!.kind === "list" ? "@items" : "@values";
          this.#paths.set(expr.id, [...(this.#path(args[0]!) ?? []), last]);
        }
      }
      size ??= this.#size(expr);
    }
    if (size) this.#sizes.set(expr.id, size);
    return add(before, cost);
  }

  #overload(
    expr: Expr & { kind: "call" },
    { name, cost }: Overload,
    target: Node | undefined,
    args: readonly Node[],
    costs: readonly Range[],
  ): Estimate {
    const sum = costs.reduce(add, ZERO);
    if (name === "_&&_" || name === "_||_") return { cost: { min: costs[0]!.min, max: add(costs[0]!, costs[1]!).max } };
    if (name === "_?_:_") return this.#conditional(expr, costs);
    const own = cost.estimate?.(this, target, args);
    if (name === "_+_" && own?.size) {
      const [a, b] = expr.args.map((arg) => this.#membersOf(arg));
      if (a && b) this.#members.set(expr.id, unionOf(a, b));
    }
    return own ? { ...own, cost: add(own.cost, sum) } : { cost: add(ONE, sum) };
  }

  #conditional(expr: Expr & { kind: "call" }, [condition, yes, no]: readonly Range[]): Estimate {
    const [, a, b] = expr.args as [Expr, Expr, Expr];
    const [mine, theirs] = [this.#membersOf(a), this.#membersOf(b)];
    if (mine && theirs) this.#members.set(expr.id, unionOf(mine, theirs));
    const size = union(this.#size(a) ?? UNKNOWN, this.#size(b) ?? UNKNOWN);
    return { cost: add(condition!, union(yes!, no!)), size };
  }

  #list(expr: Expr & { kind: "list" }): Range {
    let sum = ZERO;
    let item: Range = expr.elements.length === 0 ? ZERO : NOTHING;
    for (const element of expr.elements) {
      sum = add(sum, this.cost(element));
      item = union(item, this.#size(element) ?? UNKNOWN);
    }
    this.#members.set(expr.id, { isList: true, key: ONE, value: item });
    return add(sum, exactly(10));
  }

  #map(expr: Expr & { kind: "map" }): Range {
    let sum = ZERO;
    let [keys, values] = expr.entries.length === 0 ? [ZERO, ZERO] : [NOTHING, NOTHING];
    for (const { key, value } of expr.entries) {
      sum = add(add(sum, this.cost(key)), this.cost(value));
      keys = union(keys, this.#size(key) ?? UNKNOWN);
      values = union(values, this.#size(value) ?? UNKNOWN);
    }
    this.#members.set(expr.id, { isList: false, key: keys, value: values });
    return add(sum, exactly(30));
  }

  #message({ fields }: Expr & { kind: "message" }): Range {
    let sum = ZERO;
    for (const { value } of fields) sum = add(sum, this.cost(value));
    return add(sum, exactly(40));
  }

  #binding(expr: Expr & { kind: "comprehension" }): Range {
    const { range, init, accu, result } = expr.comprehension;
    const sum = add(this.cost(range), this.cost(init));
    this.#push(accu, { path: this.#path(init), size: this.#size(init), members: this.#membersOf(init) });
    const total = add(sum, this.cost(result));
    this.#copy(expr, result);
    this.#pop(accu);
    return total;
  }

  #comprehension(expr: Expr & { kind: "comprehension" }): Range {
    const { comprehension } = expr;
    let sum = add(this.cost(comprehension.range), this.cost(comprehension.init));
    this.#push(comprehension.accu, {
      path: this.#path(comprehension.init),
      size: this.#size(comprehension.init),
      members: this.#membersOf(comprehension.init),
    });
    this.#pushIters(comprehension);
    const each = add(this.cost(comprehension.step), this.cost(comprehension.cond));
    this.#pop(comprehension.iter);
    if (comprehension.iter2 !== undefined) this.#pop(comprehension.iter2);
    sum = add(sum, this.cost(comprehension.result));
    this.#pop(comprehension.accu);
    const count = this.#size(comprehension.range) ?? UNKNOWN;
    const { kind } = comprehension.init;
    if (kind === "const") this.#setSize(expr, this.#size(comprehension.init));
    if (kind === "list" || kind === "map") {
      this.#sizes.set(expr.id, count);
      const members = this.#membersOf(comprehension.step);
      if (members) this.#members.set(expr.id, members);
    }
    return add(sum, multiply(count, each));
  }

  #pushIters({ range, iter, iter2 }: Comprehension): void {
    const members = this.#membersOf(range);
    const isList = members ? members.isList : this.#checked.typeOf(range).kind === "list";
    const path = this.#path(range) ?? [];
    const key: Local = { path: [...path, isList ? "@indices" : "@keys"], size: members?.key, members: undefined };
    const value: Local = { path: [...path, isList ? "@items" : "@values"], size: members?.value, members: undefined };
    if (iter2 !== undefined) {
      this.#push(iter, key);
      this.#push(iter2, value);
    } else this.#push(iter, isList ? value : { ...key, path: [...path, "@keys"] });
  }

  #path(expr: Expr): readonly string[] | undefined {
    if (expr.kind === "ident") {
      const local = this.#local(expr.name);
      if (local) return local.path;
    }
    return this.#paths.get(expr.id);
  }

  #node(expr: Expr): Node {
    const path = this.#path(expr);
    return {
      expr,
      type: this.#checked.typeOf(expr),
      path: path?.[0] === ACCU ? undefined : path,
      size: this.#size(expr),
    };
  }

  size(node: Node): Range {
    return node.size ?? this.#known(node.path) ?? UNKNOWN;
  }

  items(list: Node): Node | undefined {
    const [type] = list.type.params;
    if (!type) return undefined;
    return { type, path: list.path && [...list.path, "@items"], size: undefined, expr: undefined };
  }

  #known(path: readonly string[] | undefined): Range | undefined {
    return path && path.length > 0 ? this.#env.sizeAt?.(path) : undefined;
  }

  #setSize(expr: Expr, size: Range | undefined): void {
    if (size) this.#sizes.set(expr.id, size);
  }

  #copy(to: Expr, from: Expr): void {
    this.#setSize(to, this.#size(from));
    const members = this.#membersOf(from);
    if (members) this.#members.set(to.id, members);
  }

  #size(expr: Expr): Range | undefined {
    const computed = this.#sizes.get(expr.id) ?? literalSize(expr);
    if (computed) return computed;
    const known = this.#known(this.#path(expr));
    if (known) {
      this.#sizes.set(expr.id, known);
      return known;
    }
    if (isScalar(this.#checked.typeOf(expr))) return ONE;
    return expr.kind === "ident" ? this.#local(expr.name)?.size : undefined;
  }

  #membersOf(expr: Expr): Members | undefined {
    return this.#members.get(expr.id) ?? (expr.kind === "ident" ? this.#local(expr.name)?.members : undefined);
  }
}

const unionOf = (a: Members, b: Members): Members => ({
  isList: a.isList,
  key: union(a.key, b.key),
  value: union(a.value, b.value),
});

/** Whether a comprehension binds one value to a name, as `optMap` and `sortBy` do. */
const isBinding = ({ range, cond, accu }: Comprehension): boolean =>
  range.kind === "list" &&
  range.elements.length === 0 &&
  cond.kind === "const" &&
  cond.value === false &&
  accu !== ACCU;

function literalSize(expr: Expr): Range | undefined {
  if (expr.kind === "list") return exactly(expr.elements.length);
  if (expr.kind === "map") return exactly(expr.entries.length);
  if (expr.kind !== "const") return undefined;
  if (typeof expr.value === "string") return exactly(pointsOf(expr.value));
  return exactly(expr.value instanceof Uint8Array ? expr.value.length : 1);
}

const SCALARS = new Set(["bool", "int", "uint", "double", "timestamp", "duration"]);

const isScalar = (type: Type): boolean =>
  SCALARS.has(type.kind) || ((isOptional(type) || type.kind === "wrapper") && isScalar(type.params[0]!));
