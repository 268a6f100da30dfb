/**
 * Libraries: functions with overloads, each with its types, its implementation, and its estimated and actual cost.
 *
 * @module
 */
import type { Expr } from "../ast.ts";
import type { Range } from "../range.ts";
import {
  ANY,
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  NULL,
  STRING,
  TIMESTAMP,
  type Type,
  UINT,
  listOf,
  mapOf,
  opaque,
  optionalOf,
  param,
  typeType,
} from "../types.ts";
import type { Value } from "../values.ts";

/** An argument of a call, for the estimator. */
export interface Node {
  readonly type: Type;
  /** The path of its value in the variables: `self`, `list`, `@items`; undefined for a computed value. */
  readonly path: readonly string[] | undefined;
  readonly size: Range | undefined;
  readonly expr: Expr | undefined;
}

/** The estimated cost of a call, and the size of its result. */
export interface Estimate {
  readonly cost: Range;
  readonly size?: Range;
}

/** The estimator, for estimates of calls. */
export interface EstimateContext {
  /** The size of an argument; unbounded where it is not known. */
  size(node: Node): Range;
  /** The elements of a list. */
  items(list: Node): Node | undefined;
}

/** The estimated and the actual cost of a call. */
export interface Cost {
  /** Whether all overloads of the function have this cost, so that it counts also where the overload is chosen at run time. */
  readonly byName?: boolean;
  /** Undefined for one unit. `all` are the arguments, the target first where there is one. */
  readonly estimate?: (at: EstimateContext, target: Node | undefined, args: readonly Node[]) => Estimate | undefined;
  /** The actual cost by the arguments (the target first) and the result; one unit where it is undefined. */
  readonly spend?: (args: readonly Value[], result: Value) => number;
}

/** One way to call a function. */
export interface Overload {
  readonly name: string;
  /** Whether the first argument is the target: `a.f(b)`. */
  readonly member: boolean;
  readonly params: readonly Type[];
  readonly result: Type;
  /** The names of the type parameters. */
  readonly unknown: readonly string[];
  readonly run: (...args: never[]) => Value;
  readonly cost: Cost;
  /** Whether a call with a literal is evaluated at compile time. */
  readonly folds: boolean;
}

const NAMED: Readonly<Record<string, Type>> = {
  int: INT,
  uint: UINT,
  double: DOUBLE,
  bool: BOOL,
  string: STRING,
  bytes: BYTES,
  null: NULL,
  timestamp: TIMESTAMP,
  duration: DURATION,
  dyn: DYN,
  any: ANY,
  Quantity: opaque("kubernetes.Quantity"),
  URL: opaque("kubernetes.URL"),
  IP: opaque("net.IP"),
  CIDR: opaque("net.CIDR"),
  Semver: opaque("kubernetes.Semver"),
  Format: opaque("kubernetes.NamedFormat"),
  Authorizer: opaque("kubernetes.authorization.Authorizer"),
  PathCheck: opaque("kubernetes.authorization.PathCheck"),
  GroupCheck: opaque("kubernetes.authorization.GroupCheck"),
  ResourceCheck: opaque("kubernetes.authorization.ResourceCheck"),
  Decision: opaque("kubernetes.authorization.Decision"),
};

/** Parses a type: `list<A>`, `map<string, int>`, `optional<T>`, `type<A>`; other names are type parameters. */
export function typeIn(text: string): Type {
  const inner = /^(\w+)<(.*)>$/s.exec(text);
  if (!inner) return NAMED[text] ?? param(text);
  const [first, second] = split(inner[2]!).map(typeIn) as [Type, Type | undefined];
  if (inner[1] === "list") return listOf(first);
  if (inner[1] === "map") return mapOf(first, second!);
  return inner[1] === "optional" ? optionalOf(first) : typeType(first);
}

/** The parts between commas that are not in brackets. */
function split(text: string): string[] {
  const parts: string[] = [];
  let [depth, start] = [0, 0];
  for (let i = 0; i <= text.length; i++) {
    const char = text[i];
    if (char === "<") depth++;
    else if (char === ">") depth--;
    if (i === text.length || (char === "," && depth === 0)) {
      const part = text.slice(start, i).trim();
      if (part !== "") parts.push(part);
      start = i + 1;
    }
  }
  return parts;
}

/**
 * An overload by its signature: `string.charAt(int): string` has a target, `size(list<A>): int` has none. A bar marks a
 * function with a dot in its name: `|sets.contains(list<A>, list<A>): bool`.
 */
export function fn(signature: string, run: (...args: never[]) => Value, cost: Cost = {}, folds = false): Overload {
  const isDotted = signature.startsWith("|");
  const [open, close] = [signature.indexOf("("), signature.lastIndexOf("): ")];
  const full = signature.slice(isDotted ? 1 : 0, open);
  const dot = isDotted ? -1 : full.lastIndexOf(".");
  const target = dot < 0 ? [] : [full.slice(0, dot)];
  const params = [...target, ...split(signature.slice(open + 1, close))].map(typeIn);
  const result = typeIn(signature.slice(close + "): ".length));
  const unknown = new Set<string>();
  const collect = (type: Type): void => {
    if (type.kind === "param") unknown.add(type.name);
    type.params.forEach(collect);
  };
  [...params, result].forEach(collect);
  return {
    name: full.slice(dot + 1),
    member: dot >= 0,
    params,
    result,
    unknown: [...unknown],
    run,
    cost,
    folds,
  };
}
