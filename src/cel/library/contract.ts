/**
 * What a library is: functions with overloads, each a row that says its types, what it does and what it costs, when it is
 * written and when it runs.
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

/** An argument as the estimator sees it. */
export interface Node {
  readonly type: Type;
  /** Where in the variables its value comes from: `self`, `list`, `@items`; undefined for what is computed. */
  readonly path: readonly string[] | undefined;
  readonly size: Range | undefined;
  readonly expr: Expr | undefined;
}

/** What a call is expected to cost, and how large its result is. */
export interface Estimate {
  readonly cost: Range;
  readonly size?: Range;
}

/** What estimates may ask. */
export interface Estimating {
  /** The size of an argument, without a bound where nothing is known. */
  size(node: Node): Range;
  /** The elements of a list. */
  items(list: Node): Node | undefined;
}

/** The cost of a call: when the expression is written, and when it runs. */
export interface Cost {
  /** Whether it is that of every overload of the function: then it is known also where only the run tells which is meant. */
  readonly byName?: boolean;
  /** Undefined for one unit. `all` are the arguments, the target first where there is one. */
  readonly estimate?: (at: Estimating, target: Node | undefined, args: readonly Node[]) => Estimate | undefined;
  /** By the arguments (the target first) and the result; one unit where it is missing. */
  readonly spend?: (args: readonly Value[], result: Value) => number;
}

/** One way to call a function. */
export interface Overload {
  readonly name: string;
  /** Whether the first argument stands in front: `a.f(b)`. */
  readonly member: boolean;
  readonly params: readonly Type[];
  readonly result: Type;
  /** The names of types that are not known in {@link Overload.params}. */
  readonly unknown: readonly string[];
  readonly run: (...args: never[]) => Value;
  readonly cost: Cost;
  /** Evaluated before anything runs when its arguments are literals. */
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

/** A type as rows write it: `list<A>`, `map<string, int>`, `optional<T>`, `type<A>`; capital letters are types not known. */
export function typeIn(text: string): Type {
  const inner = /^(\w+)<(.*)>$/s.exec(text);
  if (!inner) return NAMED[text] ?? param(text);
  const [first, second] = split(inner[2]!).map(typeIn) as [Type, Type | undefined];
  if (inner[1] === "list") return listOf(first);
  if (inner[1] === "map") return mapOf(first, second!);
  return inner[1] === "optional" ? optionalOf(first) : typeType(first);
}

/** The parts between commas that are in no brackets. */
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
 * A row: `string.charAt(int): string` is called on a text; `size(list<A>): int` is not; names that have a dot themselves
 * are marked by a bar, `|sets.contains(list<A>, list<A>): bool`.
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
