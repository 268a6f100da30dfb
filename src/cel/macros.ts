/**
 * Macros: calls that are expanded before the expression is checked (CEL-11, CEL-12, CEL-13).
 *
 * @module
 */
import { ACCU, type Expr, type Comprehension, type ExprFactory } from "./ast.ts";

/** Expands a macro of the standard ones or of `more`; undefined for other calls. */
export function expandMacro(
  make: ExprFactory,
  at: number,
  name: string,
  target: Expr | undefined,
  args: readonly Expr[],
  more: Macros | undefined,
): Expr | undefined {
  if (!target) return name === "has" && args.length === 1 ? has(make, at, args[0]!) : undefined;
  const call = `${name}/${args.length}`;
  const macro = MACROS[call] ?? more?.[call];
  return macro?.(make, at, target, args);
}

type Macro = (make: ExprFactory, at: number, target: Expr, args: readonly Expr[]) => Expr;

/** Macros by name and number of arguments: `all/2`. A macro returns undefined for a call that is not its own. */
export type Macros = Readonly<Record<string, (...call: Parameters<Macro>) => Expr | undefined>>;

function has(make: ExprFactory, at: number, arg: Expr): Expr {
  if (arg.kind !== "select" || arg.test) return make.fail(arg.at, "invalid argument to has() macro");
  return make.select(at, arg.of, arg.field, true);
}

const NO_NAME = "argument is not an identifier";

/** The name of an argument that must be an identifier; undefined after an error. */
function nameOf(make: ExprFactory, arg: Expr, why = "argument must be a simple name"): string | undefined {
  if (arg.kind !== "ident" || arg.name.startsWith(".")) {
    make.fail(arg.at, why);
    return undefined;
  }
  if (arg.name === ACCU || arg.name === "__result__") {
    make.fail(arg.at, "iteration variable overwrites accumulator variable");
    return undefined;
  }
  return arg.name;
}

type Parts = Pick<Comprehension, "init" | "cond" | "step" | "result">;

function comprehension(
  make: ExprFactory,
  at: number,
  range: Expr,
  names: readonly Expr[],
  parts: (accu: () => Expr) => Parts,
  why?: string,
): Expr {
  const iters: string[] = [];
  for (const arg of names) {
    const name = nameOf(make, arg, why);
    if (name === undefined) return make.constant(at, null);
    if (iters.includes(name)) return make.fail(arg.at, `duplicate variable name: ${name}`);
    iters.push(name);
  }
  const accu = (): Expr => make.ident(at, ACCU);
  return make.comprehension(at, { range, iter: iters[0]!, iter2: iters[1], accu: ACCU, ...parts(accu) });
}

/** Binds a value to a name in an expression. */
const bound = (make: ExprFactory, at: number, name: string, init: Expr, result: Expr): Expr =>
  make.comprehension(at, {
    range: make.list(at, []),
    iter: "#unused",
    iter2: undefined,
    accu: name,
    init,
    cond: make.constant(at, false),
    step: make.ident(at, name),
    result,
  });

const all: (names: number) => Macro = (names) => (make, at, target, args) =>
  comprehension(make, at, target, args.slice(0, names), (accu) => ({
    init: make.constant(at, true),
    cond: make.call(at, "@not_strictly_false", [accu()]),
    step: make.call(at, "_&&_", [accu(), args[names]!]),
    result: accu(),
  }));

const exists: (names: number) => Macro = (names) => (make, at, target, args) =>
  comprehension(make, at, target, args.slice(0, names), (accu) => ({
    init: make.constant(at, false),
    cond: make.call(at, "@not_strictly_false", [make.call(at, "!_", [accu()])]),
    step: make.call(at, "_||_", [accu(), args[names]!]),
    result: accu(),
  }));

const existsOne: (names: number) => Macro = (names) => (make, at, target, args) =>
  comprehension(make, at, target, args.slice(0, names), (accu) => ({
    init: make.constant(at, 0n),
    cond: make.constant(at, true),
    step: make.call(at, "_?_:_", [args[names]!, make.call(at, "_+_", [accu(), make.constant(at, 1n)]), accu()]),
    result: make.call(at, "_==_", [accu(), make.constant(at, 1n)]),
  }));

/** Collects a value for each element, with a filter for those that match it. */
const collect: (names: number, hasFilter: boolean) => Macro = (names, hasFilter) => (make, at, target, args) =>
  comprehension(
    make,
    at,
    target,
    args.slice(0, names),
    (accu) => {
      const added = make.call(at, "_+_", [accu(), make.list(at, [args.at(-1)!])]);
      return {
        init: make.list(at, []),
        cond: make.constant(at, true),
        step: hasFilter ? make.call(at, "_?_:_", [args[names]!, added, accu()]) : added,
        result: accu(),
      };
    },
    names === 1 ? NO_NAME : undefined,
  );

const filter: Macro = (make, at, target, args) => {
  const [variable, condition] = args as [Expr, Expr];
  return comprehension(
    make,
    at,
    target,
    [variable],
    (accu) => {
      const kept = variable.kind === "ident" ? make.ident(at, variable.name) : variable;
      const added = make.call(at, "_+_", [accu(), make.list(at, [kept])]);
      return {
        init: make.list(at, []),
        cond: make.constant(at, true),
        step: make.call(at, "_?_:_", [condition, added, accu()]),
        result: accu(),
      };
    },
    NO_NAME,
  );
};

const transformMap: (hasFilter: boolean, isEntry: boolean) => Macro =
  (hasFilter, isEntry) => (make, at, target, args) =>
    comprehension(make, at, target, args.slice(0, 2), (accu) => {
      const variable = args[0]!;
      const key = variable.kind === "ident" ? make.ident(at, variable.name) : variable;
      const value = args.at(-1)!;
      const added = make.call(at, "cel.@mapInsert", isEntry ? [accu(), value] : [accu(), key, value]);
      return {
        init: make.map(at, []),
        cond: make.constant(at, true),
        step: hasFilter ? make.call(at, "_?_:_", [args[2]!, added, accu()]) : added,
        result: accu(),
      };
    });

/** `optMap` and `optFlatMap`: evaluate an expression for the value of the target, where it has one. */
const optional: (isFlat: boolean) => Macro = (isFlat) => (make, at, target, args) => {
  const name = nameOf(make, args[0]!);
  if (name === undefined) return make.constant(at, null);
  const mapped = bound(make, at, name, make.call(at, "value", [], target), args[1]!);
  return make.call(at, "_?_:_", [
    make.call(at, "hasValue", [], target),
    isFlat ? mapped : make.call(at, "optional.of", [mapped]),
    make.call(at, "optional.none", []),
  ]);
};

/** `sortBy`: sorts the target by the keys of its elements. */
const sortBy: Macro = (make, at, target, args) => {
  const name = "@__sortBy_input__";
  const keys = collect(1, false)(make, at, make.ident(at, name), args);
  const sorted = make.call(at, "@sortByAssociatedKeys", [keys], make.ident(at, name));
  return bound(make, at, name, target, sorted);
};

/** `cel.bind`: binds a value to a name. */
const bind: Macros[string] = (make, at, target, args) => {
  if (target.kind !== "ident" || target.name !== "cel") return undefined;
  const [name, value, result] = args as [Expr, Expr, Expr];
  if (name.kind !== "ident") return make.fail(name.at, "cel.bind() variable names must be simple identifiers");
  return bound(make, at, name.name, value, result);
};

/** The macro `cel.bind(name, value, expression)`. */
export const BINDINGS: Macros = { "bind/3": bind };

const MACROS: Macros = {
  "all/2": all(1),
  "all/3": all(2),
  "exists/2": exists(1),
  "exists/3": exists(2),
  "exists_one/2": existsOne(1),
  "exists_one/3": existsOne(2),
  "existsOne/3": existsOne(2),
  "map/2": collect(1, false),
  "map/3": collect(1, true),
  "filter/2": filter,
  "transformList/3": collect(2, false),
  "transformList/4": collect(2, true),
  "transformMap/3": transformMap(false, false),
  "transformMap/4": transformMap(true, false),
  "transformMapEntry/3": transformMap(false, true),
  "transformMapEntry/4": transformMap(true, true),
  "optMap/2": optional(false),
  "optFlatMap/2": optional(true),
  "sortBy/2": sortBy,
};
