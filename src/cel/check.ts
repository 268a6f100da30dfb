/**
 * The type checker: finds the type of every node, and the overloads that each call may mean (CEL-4, CEL-5).
 *
 * @module
 */
import type { Constant, Expr, Issue } from "./ast.ts";
import type { Checked } from "./checked.ts";
import type { Environment } from "./environment.ts";
import type { Overload } from "./library/contract.ts";
import type { Message } from "./message.ts";
import { ENUMS, MESSAGES } from "./messages.ts";
import {
  BOOL,
  BYTES,
  DOUBLE,
  DYN,
  ERROR,
  INT,
  Substitutions,
  NULL,
  STRING,
  TYPE,
  type Type,
  UINT,
  allAssignable,
  isAssignable,
  isOptional,
  listOf,
  mapOf,
  mostGeneral,
  opaque,
  optionalOf,
  param,
  resolved,
  sameType,
  shownType,
  typeType,
} from "./types.ts";
import { literalIssues } from "./validators.ts";

/** The result of a check. */
export type CheckResult =
  | { readonly checked: Checked; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] };

/** Checks an expression. */
export function check(expr: Expr, env: Environment): CheckResult {
  const checker = new Checker(env);
  const type = checker.check(expr);
  if (checker.issues.length > 0) return { issues: checker.issues };
  const checked = checker.result(expr, type);
  const issues = literalIssues(checked);
  return issues.length > 0 ? { issues } : { checked };
}

/** Types with names in expressions. */
const TYPE_NAMES: ReadonlyMap<string, Type> = new Map([
  ["bool", BOOL],
  ["bytes", BYTES],
  ["double", DOUBLE],
  ["int", INT],
  ["uint", UINT],
  ["string", STRING],
  ["null_type", NULL],
  ["list", listOf(DYN)],
  ["map", mapOf(DYN, DYN)],
  ["type", TYPE],
]);

const NO_PARAMS: ReadonlyMap<string, Type> = new Map();

class Checker {
  readonly issues: Issue[] = [];
  readonly #env: Environment;
  readonly #types = new Map<number, Type>();
  readonly #overloads = new Map<number, readonly Overload[]>();
  readonly #qualified = new Map<number, string>();
  readonly #messages = new Map<number, Message>();
  readonly #used = new Set<string>();
  readonly #scopes: Map<string, Type>[] = [];
  readonly #known = new Substitutions();
  #fresh = 0;

  constructor(env: Environment) {
    this.#env = env;
  }

  result(expr: Expr, type: Type): Checked {
    const known = this.#known;
    return {
      expr,
      type: resolved(known, type, true),
      typeOf: ({ id }) => resolved(known, this.#types.get(id) ?? DYN, true),
      overloadsOf: ({ id }) => this.#overloads.get(id) ?? [],
      variables: this.#used,
      messages: this.#messages,
      qualified: this.#qualified,
    };
  }

  check(expr: Expr): Type {
    const type = this.#typeOf(expr);
    this.#types.set(expr.id, type);
    return type;
  }

  #fail(at: number, message: string): Type {
    this.issues.push({ at, message });
    return ERROR;
  }

  #now(type: Type): Type {
    return resolved(this.#known, type, false);
  }

  #fits(from: Type, to: Type): boolean {
    return this.#known.try((known) => isAssignable(known, from, to));
  }

  #newParam(): Type {
    return param(`_var${this.#fresh++}`);
  }

  #typeOf(expr: Expr): Type {
    switch (expr.kind) {
      case "const":
        return typeOfConstant(expr.value);
      case "ident":
        return this.#ident(expr, expr.name) ?? this.#undeclared(expr.at, expr.name);
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
        return this.#comprehension(expr);
    }
  }

  #undeclared(at: number, name: string): Type {
    return this.#fail(at, `undeclared reference to '${name}' (in container '')`);
  }

  #ident(expr: Expr, written: string): Type | undefined {
    const name = written.startsWith(".") ? written.slice(1) : written;
    for (let i = this.#scopes.length - 1; i >= 0 && name === written; i--) {
      const type = this.#scopes[i]!.get(name);
      if (type) return type;
    }
    const type = this.#env.variables.get(name);
    if (type) {
      this.#used.add(name);
      if (expr.kind !== "ident" || name !== written) this.#qualified.set(expr.id, name);
      return type;
    }
    if (ENUMS.has(name)) {
      this.#qualified.set(expr.id, `enum:${name}`);
      return INT;
    }
    const named = TYPE_NAMES.get(name) ?? WELL_KNOWN.get(name);
    if (!named) return undefined;
    this.#qualified.set(expr.id, `type:${name}`);
    return typeType(named);
  }

  #select(expr: Expr & { kind: "select" }): Type {
    const name = qualifiedName(expr);
    if (name !== undefined && !expr.test) {
      const type = this.#ident(expr, name);
      if (type) return type;
    }
    const of = this.check(expr.of);
    const field = this.#field(expr.at, of, expr.field, false);
    return expr.test ? BOOL : field;
  }

  #field(at: number, from: Type, name: string, isOptionalSelect: boolean): Type {
    const target = this.#now(from);
    if (isOptional(target)) return optionalOf(unwrapped(this.#field(at, target.params[0]!, name, isOptionalSelect)));
    switch (target.kind) {
      case "map":
        return target.params[1]!;
      case "struct": {
        const type = target.fields!.get(name) ?? (target.isOpen ? DYN : undefined);
        return type ?? this.#fail(at, `undefined field '${name}'`);
      }
      case "param":
        isAssignable(this.#known, target, DYN);
        return DYN;
      case "dyn":
      case "error":
      case "any":
        return DYN;
      default:
        // The types of the Kubernetes libraries are object types without declared fields.
        return target.kind === "opaque" && target.name.startsWith("kubernetes.")
          ? this.#fail(at, `unexpected failed resolution of '${target.name}'`)
          : this.#fail(at, `type '${shownType(target)}' does not support field selection`);
    }
  }

  #call(expr: Expr & { kind: "call" }): Type {
    const { name, target, args } = expr;
    if (name === "_?._") return this.#optionalSelect(expr);
    if (target) {
      const prefix = qualifiedName(target);
      const full = prefix === undefined ? undefined : `${prefix}.${name}`;
      if (full !== undefined && this.#env.functions.has(full)) {
        this.#qualified.set(expr.id, full);
        const types = args.map((arg) => this.check(arg));
        return this.#resolve(expr, full, types, false);
      }
    }
    const functions = this.#env.functions.get(name);
    // The target is checked first, but last where there is no such function.
    const first = target && functions ? [this.check(target)] : [];
    if (!functions) {
      for (const arg of args) this.check(arg);
      if (target) this.check(target);
      return this.#undeclared(expr.at, name);
    }
    const types = args.map((arg) => this.check(arg));
    return this.#resolve(expr, name, [...first, ...types], target !== undefined);
  }

  #optionalSelect(expr: Expr & { kind: "call" }): Type {
    const [of, field] = expr.args as [Expr, Expr];
    const name = field.kind === "const" && typeof field.value === "string" ? field.value : "";
    const target = this.check(of);
    this.#types.set(field.id, STRING);
    this.#overloads.set(expr.id, this.#env.functions.get("_?._") ?? []);
    const type = this.#field(expr.at, target, name, true);
    return type.kind === "error" ? type : optionalOf(unwrapped(type));
  }

  /** Each operand of a logical operator must be a bool, and has an error of its own. */
  #truth(expr: Expr & { kind: "call" }, name: string, args: readonly Type[]): Type {
    this.#overloads.set(expr.id, this.#env.functions.get(name)!);
    let result = BOOL;
    for (const [i, arg] of args.entries()) {
      if (!this.#fits(arg, BOOL))
        result = this.#fail(expr.args[i]!.at, `expected type 'bool' but found '${shownType(this.#now(arg))}'`);
    }
    return result;
  }

  /** Finds the overloads that the arguments match; where several match, the result may be dyn. */
  #resolve(expr: Expr & { kind: "call" }, name: string, args: readonly Type[], member: boolean): Type {
    if (name === "_&&_" || name === "_||_") return this.#truth(expr, name, args);
    const types = args.map((type) => this.#now(type));
    const fitting: Overload[] = [];
    let result: Type | undefined;
    for (const overload of this.#env.functions.get(name)!) {
      if (overload.member !== member || overload.params.length !== types.length) continue;
      const fresh =
        overload.unknown.length === 0 ? NO_PARAMS : new Map(overload.unknown.map((one) => [one, this.#newParam()]));
      const put = (type: Type): Type => (fresh.size === 0 ? type : resolved(fresh, type, false));
      const params = fresh.size === 0 ? overload.params : overload.params.map(put);
      if (!this.#known.try((known) => allAssignable(known, types, params))) continue;
      fitting.push(overload);
      const own = this.#now(put(overload.result));
      if (result === undefined) result = own;
      else if (result.kind !== "dyn" && !sameType(own, result)) result = DYN;
    }
    if (result === undefined) {
      for (const [i, type] of types.entries()) types[i] = resolved(this.#known, type, true);
      return this.#fail(expr.at, `found no matching overload for '${name}' applied to '${applied(types, member)}'`);
    }
    this.#overloads.set(expr.id, fitting);
    return result;
  }

  #list(expr: Expr & { kind: "list" }): Type {
    let type: Type | undefined;
    for (const [i, element] of expr.elements.entries()) {
      const own = this.check(element);
      const item = expr.optional.has(i) ? this.#optionalValue(element, own) : own;
      type = type === undefined ? item : this.#joined(type, item);
    }
    return listOf(type ?? this.#newParam());
  }

  #optionalValue(expr: Expr, type: Type): Type {
    const now = this.#now(type);
    if (isOptional(now)) return now.params[0]!;
    if (now.kind === "dyn") return now;
    return this.#fail(expr.at, `expected type 'optional_type(${shownType(now)})' but found '${shownType(now)}'`);
  }

  #joined(before: Type, own: Type): Type {
    return this.#fits(before, own) ? mostGeneral(before, own) : DYN;
  }

  #map(expr: Expr & { kind: "map" }): Type {
    let key: Type | undefined;
    let value: Type | undefined;
    for (const entry of expr.entries) {
      const ownKey = this.check(entry.key);
      key = key === undefined ? ownKey : this.#joined(key, ownKey);
      const own = this.check(entry.value);
      const item = entry.optional ? this.#optionalValue(entry.value, own) : own;
      value = value === undefined ? item : this.#joined(value, item);
    }
    return mapOf(key ?? this.#newParam(), value ?? this.#newParam());
  }

  #message(expr: Expr & { kind: "message" }): Type {
    const name = expr.name.startsWith(".") ? expr.name.slice(1) : expr.name;
    const message = this.#env.messages?.(name) ?? MESSAGES.get(name);
    if (message) this.#messages.set(expr.id, message);
    const isType = TYPE_NAMES.has(name) || WELL_KNOWN.has(name);
    const isKnown = message !== undefined || isType || this.#env.variables.has(name);
    // An unknown type has one error.
    if (!isKnown) return this.#undeclared(expr.at, expr.name);
    if (!message) this.#fail(expr.at, isType ? `'${name}' is not a message type` : `'${name}' is not a type`);
    for (const field of expr.fields) {
      const own = this.check(field.value);
      const type = message?.fields.get(field.name) ?? (message?.isOpen ? DYN : undefined);
      if (!type) {
        if (message) this.#fail(field.at, `undefined field '${field.name}'`);
        else if (isType) this.#fail(field.at, `unexpected failed resolution of '${name}'`);
        continue;
      }
      const value = field.optional ? this.#optionalValue(field.value, own) : own;
      if (this.#fits(value, type)) continue;
      const [want, got] = [shownType(type), shownType(this.#now(value))];
      this.#fail(field.at, `expected type of field '${field.name}' is '${want}' but provided type is '${got}'`);
    }
    return message?.type ?? ERROR;
  }

  #comprehension({ comprehension }: Expr & { kind: "comprehension" }): Type {
    const range = this.#now(this.check(comprehension.range));
    const accu = this.check(comprehension.init);
    const [first, second] = this.#iterTypes(comprehension.range, range, comprehension.iter2 !== undefined);
    this.#scopes.push(new Map([[comprehension.accu, accu]]));
    const inner = new Map([[comprehension.iter, first]]);
    if (comprehension.iter2 !== undefined) inner.set(comprehension.iter2, second);
    this.#scopes.push(inner);
    this.#expectType(comprehension.cond, this.check(comprehension.cond), BOOL);
    this.#expectType(comprehension.step, this.check(comprehension.step), accu);
    this.#scopes.pop();
    const type = this.check(comprehension.result);
    this.#scopes.pop();
    return this.#now(type);
  }

  #expectType(expr: Expr, type: Type, expected: Type): void {
    if (this.#fits(type, expected)) return;
    const [want, got] = [this.#now(expected), this.#now(type)];
    this.#fail(expr.at, `expected type '${shownType(want)}' but found '${shownType(got)}'`);
  }

  /** The types of the iteration variables: index or key, and value where there are two; else the element or the key. */
  #iterTypes(expr: Expr, range: Type, two: boolean): readonly [Type, Type] {
    switch (range.kind) {
      case "list":
        return two ? [INT, range.params[0]!] : [range.params[0]!, DYN];
      case "map":
        return [range.params[0]!, range.params[1]!];
      case "dyn":
      case "error":
      case "param":
        if (range.kind === "param") isAssignable(this.#known, DYN, range);
        return [DYN, DYN];
      default:
        this.#fail(
          expr.at,
          `expression of type '${shownType(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        );
        return [ERROR, ERROR];
    }
  }
}

const unwrapped = (type: Type): Type => (isOptional(type) ? type.params[0]! : type);

/** The name `a.b.c` of a chain of selects; undefined for other expressions. */
export function qualifiedName(expr: Expr): string | undefined {
  if (expr.kind === "ident") return expr.name;
  if (expr.kind !== "select" || expr.test) return undefined;
  const prefix = qualifiedName(expr.of);
  return prefix === undefined ? undefined : `${prefix}.${expr.field}`;
}

const applied = (types: readonly Type[], member: boolean): string => {
  const shown = types.map(shownType);
  return member ? `${shown[0]}.(${shown.slice(1).join(", ")})` : `(${shown.join(", ")})`;
};

function typeOfConstant(value: Constant): Type {
  switch (typeof value) {
    case "boolean":
      return BOOL;
    case "bigint":
      return INT;
    case "number":
      return DOUBLE;
    case "string":
      return STRING;
    default:
      return value === null ? NULL : value instanceof Uint8Array ? BYTES : UINT;
  }
}

const WELL_KNOWN: ReadonlyMap<string, Type> = new Map([
  ...[...MESSAGES.values()].map(({ name, type }) => [name, type] as const),
  ["optional_type", opaque("optional_type")],
  // The only types of libraries with names in expressions.
  ["net.IP", opaque("net.IP")],
  ["net.CIDR", opaque("net.CIDR")],
]);
