/**
 * Types of expressions, and which are assignable to which.
 *
 * @module
 */

/** A type with its name and its type parameters. */
export interface Type {
  readonly kind: Kind;
  /** Of opaque types and of those that a schema declares. */
  readonly name: string;
  readonly params: readonly Type[];
  /** Members, of types that a schema declares. */
  readonly fields?: ReadonlyMap<string, Type>;
  /** Whether it has members of every other name, too, with the type dyn. */
  readonly isOpen?: true;
}

/** The kinds of types. */
export type Kind =
  | "null"
  | "bool"
  | "int"
  | "uint"
  | "double"
  | "string"
  | "bytes"
  | "timestamp"
  | "duration"
  | "list"
  | "map"
  | "type"
  | "wrapper"
  | "dyn"
  | "any"
  | "param"
  | "opaque"
  | "struct"
  | "error";

const simple = (kind: Kind, name: string = kind): Type => ({ kind, name, params: [] });

export const NULL: Type = simple("null", "null_type");
export const BOOL: Type = simple("bool");
export const INT: Type = simple("int");
export const UINT: Type = simple("uint");
export const DOUBLE: Type = simple("double");
export const STRING: Type = simple("string");
export const BYTES: Type = simple("bytes");
export const TIMESTAMP: Type = simple("timestamp", "google.protobuf.Timestamp");
export const DURATION: Type = simple("duration", "google.protobuf.Duration");
export const DYN: Type = simple("dyn");
export const ANY: Type = simple("any", "google.protobuf.Any");
/** The type of types. */
export const TYPE: Type = simple("type");
export const ERROR: Type = simple("error", "!error!");

/** A list of one type. */
export const listOf = (item: Type): Type => ({ kind: "list", name: "list", params: [item] });
/** A map from one type to another. */
export const mapOf = (key: Type, value: Type): Type => ({ kind: "map", name: "map", params: [key, value] });
/** A value of a type or null. */
export const wrapperOf = (of: Type): Type => ({ kind: "wrapper", name: "wrapper", params: [of] });
/** The type of a type. */
export const typeType = (of: Type): Type => ({ kind: "type", name: "type", params: [of] });
/** A value that may be missing. */
export const optionalOf = (of: Type): Type => opaque("optional_type", of);
/** A type that only its library knows. */
export const opaque = (name: string, ...params: readonly Type[]): Type => ({ kind: "opaque", name, params });
/** A type with fields, from a schema. */
export const structOf = (name: string, fields: ReadonlyMap<string, Type>): Type => ({
  kind: "struct",
  name,
  params: [],
  fields,
});
/** A type parameter. */
export const param = (name: string): Type => ({ kind: "param", name, params: [] });

export const isOptional = (type: Type): boolean => type.kind === "opaque" && type.name === "optional_type";

/** The text of a type: `map(string, int)`, `google.protobuf.Timestamp`. */
export function typeText(type: Type): string {
  return type.params.length === 0 ? type.name : `${type.name}(${type.params.map(typeText).join(", ")})`;
}

/** The text of a type in messages of the checker: `timestamp` for `google.protobuf.Timestamp`. */
export function shownType(type: Type): string {
  switch (type.kind) {
    case "timestamp":
      return "timestamp";
    case "duration":
      return "duration";
    case "null":
      return "null";
    case "any":
      return "any";
    default:
      return type.params.length === 0 ? type.name : `${type.name}(${type.params.map(shownType).join(", ")})`;
  }
}

/** Whether two types are the same. */
export const sameType = (a: Type, b: Type): boolean =>
  a === b ||
  (a.kind === b.kind &&
    a.name === b.name &&
    a.params.length === b.params.length &&
    a.params.every((one, i) => sameType(one, b.params[i]!)));

/** The substitutions of type parameters by name; an attempt can be rolled back. */
export class Substitutions extends Map<string, Type> {
  readonly #before: (readonly [string, Type | undefined])[] = [];

  override set(name: string, type: Type): this {
    this.#before.push([name, this.get(name)]);
    return super.set(name, type);
  }

  /** Runs an attempt; its substitutions are kept only where it succeeds. */
  try(attempt: (known: this) => boolean): boolean {
    const mark = this.#before.length;
    if (attempt(this)) return true;
    for (const [name, type] of this.#before.splice(mark).toReversed()) {
      if (type) super.set(name, type);
      else this.delete(name);
    }
    return false;
  }
}

const isWild = ({ kind }: Type): boolean => kind === "dyn" || kind === "error";

/** Whether `from` is assignable to `to`; adds substitutions of type parameters to `known`. */
export function isAssignable(known: Substitutions, from: Type, to: Type): boolean {
  if (to.kind === "param") {
    const { fits, had } = substitute(known, from, to);
    if (fits) return true;
    if (had) return false;
  }
  if (from.kind === "param") return substitute(known, to, from).fits;
  if (isWild(from) || isWild(to)) return true;
  if (from.kind === "null") return mayBeNull(to);
  if (to.kind === "null") return mayBeNull(from);
  if (from.kind === "any" || to.kind === "any") return true;
  if (from.kind === "wrapper" || to.kind === "wrapper") return isAssignable(known, bare(from), bare(to));
  if (from.kind !== to.kind) return false;
  if (from.kind === "type") return true;
  return from.name === to.name && allAssignable(known, from.params, to.params);
}

/** {@link isAssignable} for lists of types. */
export const allAssignable = (known: Substitutions, from: readonly Type[], to: readonly Type[]): boolean =>
  from.length === to.length && from.every((one, i) => isAssignable(known, one, to[i]!));

const bare = (type: Type): Type => (type.kind === "wrapper" ? type.params[0]! : type);

const mayBeNull = ({ kind }: Type): boolean =>
  ["null", "any", "wrapper", "struct", "opaque", "timestamp", "duration"].includes(kind);

function substitute(
  known: Substitutions,
  type: Type,
  unknown: Type,
): { readonly fits: boolean; readonly had: boolean } {
  if (sameType(type, unknown)) return { fits: true, had: true };
  const before = known.get(unknown.name);
  if (before) {
    if (sameType(type, before)) return { fits: true, had: true };
    if (!isAssignable(known, type, before)) return { fits: false, had: true };
    const general = mostGeneral(type, before);
    if (!refersTo(known, unknown, general)) known.set(unknown.name, general);
    return { fits: true, had: true };
  }
  if (refersTo(known, unknown, type)) return { fits: false, had: false };
  known.set(unknown.name, type);
  return { fits: true, had: false };
}

function refersTo(known: Substitutions, unknown: Type, type: Type): boolean {
  if (sameType(type, unknown)) return true;
  if (type.kind === "param") {
    const next = known.get(type.name);
    return next !== undefined && refersTo(known, unknown, next);
  }
  return type.params.some((one) => refersTo(known, unknown, one));
}

/** The more general one of two types. */
export const mostGeneral = (a: Type, b: Type): Type => (isAsGeneral(a, b) ? a : b);

function isAsGeneral(a: Type, b: Type): boolean {
  if (isWild(a) || a.kind === "param") return true;
  if (isWild(b) || b.kind === "param") return false;
  if (a.kind === "null" || b.kind === "null") return a.kind === "null" ? false : mayBeNull(a);
  if (a.kind !== b.kind || a.name !== b.name || a.params.length !== b.params.length) return false;
  if (a.kind === "type") return true;
  return a.params.every((one, i) => isAsGeneral(one, b.params[i]!));
}

/** Substitutes type parameters; unknown ones become dyn with `toDyn`. */
export function resolved(known: ReadonlyMap<string, Type>, type: Type, toDyn: boolean): Type {
  if (type.kind === "param") {
    const next = known.get(type.name);
    if (next) return resolved(known, next, toDyn);
    return toDyn ? DYN : type;
  }
  if (type.params.length === 0) return type;
  return { ...type, params: type.params.map((one) => resolved(known, one, toDyn)) };
}
