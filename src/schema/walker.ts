/**
 * The walker: converts decoded JSON to wire form and applies the defaults of a schema. It is compiled once per schema.
 *
 * Wire form is what a typed client prints: members of the right JSON types, no unknown members, canonical quantities, times
 * and bytes, empty members left out or printed by their {@link Presence}, null only where such a client prints it. The value
 * is changed in place; a value in wire form costs no allocation.
 *
 * The walker knows types only. The rules of each kind validate values.
 *
 * @module
 */
import type { Field, JsonSchema, Presence, StructType, Type } from "../apply/schema/schema.ts";
import { typeOf } from "../apply/schema/schema.ts";
import type { Dialect } from "../meta/dialect.ts";
import type { TSchema } from "../meta/types.ts";
import { type Value, type ValueObject, clone, isObject, setMember } from "../value/value.ts";
import type { ApiObject, Walker } from "./definition.ts";
import { DecodeReport } from "./decode-report.ts";
import { type Decode, scalarDecoder } from "./scalars.ts";

export { DecodeReport } from "./decode-report.ts";
export type { Walker } from "./definition.ts";

/** The walk of one type. `decode` is never called with null; `zero` is the value of null inside lists and maps. */
interface Node {
  readonly decode: Decode;
  zero(): unknown;
  /** Undefined when there are no defaults below. */
  readonly applyDefaults: ((value: unknown) => void) | undefined;
  /** Undefined when there is nothing to normalise below. */
  readonly normalise: ((value: unknown) => void) | undefined;
}

const walkers = new WeakMap<Dialect, WeakMap<TSchema, Walker>>();

/** The walker of a kind's schema, compiled on first use and once for each schema. */
export function walkerOf(schema: TSchema, options: { readonly dialect: Dialect }): Walker {
  let known = walkers.get(options.dialect);
  if (!known) walkers.set(options.dialect, (known = new WeakMap()));
  let walker = known.get(schema);
  if (!walker) known.set(schema, (walker = compileWalker(schema, options)));
  return walker;
}

/** Compiles the walker of a kind's schema. */
export function compileWalker(schema: TSchema, options: { readonly dialect: Dialect }): Walker {
  const node = new Compiler(options.dialect).node(typeOf(schema as JsonSchema));
  return {
    decode: (value, report) => {
      if (value !== null) return node.decode(value, report) as ApiObject;
      report.mismatch("an object", value);
      return node.zero() as ApiObject;
    },
    applyDefaults: (object) => node.applyDefaults?.(object),
    normalise: (object) => node.normalise?.(object),
    zero: () => node.zero() as ApiObject,
  };
}

/** A member of a struct, compiled. */
interface Member {
  readonly name: string;
  readonly node: Node;
  /** Whether a sent value counts as unset. */
  isEmpty(value: unknown): boolean;
  /** The printed value of an unset member; undefined when it is left out. */
  unset(): unknown;
  readonly default: unknown;
  readonly presence: Presence;
  /** Whether an empty value reads back as null. */
  readonly nullWhenEmpty: boolean;
}

class Compiler {
  readonly #dialect: Dialect;
  readonly #nodes = new Map<Type, Node>();
  readonly #defaulted = new Map<Type, boolean>();
  readonly #holdsNullWhenEmpty = new Map<Type, boolean>();

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  node(type: Type): Node {
    let node = this.#nodes.get(type);
    if (!node) {
      node = this.#compile(type);
      this.#nodes.set(type, node);
    }
    return node;
  }

  #compile(type: Type): Node {
    switch (type.kind) {
      case "scalar":
        return {
          decode: scalarDecoder(type, this.#dialect),
          zero: () => zeroOf(type),
          applyDefaults: undefined,
          normalise: undefined,
        };
      case "any":
        return type.schema["x-keelson-either"] ? this.#either(type.schema["x-keelson-either"]) : ANYTHING;
      case "map":
        return mapNode(
          () => this.node(type.item),
          type.item,
          this.#hasDefaults(type.item),
          this.#hasNullWhenEmpty(type.item),
        );
      case "list":
        return listNode(() => this.node(type.item), this.#hasDefaults(type.item), this.#hasNullWhenEmpty(type.item));
      case "struct":
        return structNode(type, () => this.#members(type), this.#hasDefaults(type), this.#hasNullWhenEmpty(type));
    }
  }

  /** A value of one of several JSON types, which is decoded by the schema of its type. */
  #either(schemas: readonly JsonSchema[]): Node {
    const nodes = new Map(schemas.map((schema) => [schema.type ?? "", schema]));
    const names = [...nodes.keys()].join(" or ");
    return {
      ...ANYTHING,
      decode: (value, report) => {
        const schema = nodes.get(Array.isArray(value) ? "array" : typeof value);
        return schema ? this.node(typeOf(schema)).decode(value, report) : report.mismatch(names, value);
      },
    };
  }

  #members(type: StructType): ReadonlyMap<string, Member> {
    return new Map([...type.fields].map(([name, field]) => [name, this.#member(field)]));
  }

  #member(field: Field): Member {
    const node = this.node(field.type);
    return {
      name: field.name,
      node,
      isEmpty: field.presence === "omitEmpty" ? emptinessOf(field.type) : this.#emptyWhenPrinted(field),
      unset: this.#unset(field, node),
      default: field.default,
      presence: field.presence,
      nullWhenEmpty: this.#nullWhenEmpty(field),
    };
  }

  /**
   * An empty list or map that is always printed reads back as null where typed clients print it: their storage does not
   * distinguish empty from unset.
   */
  #nullWhenEmpty({ presence, type }: Field): boolean {
    const isPrinted = presence === "always" || presence === "alwaysNull";
    return isPrinted && this.#dialect.rules.printUnsetAsNull && (type.kind === "list" || type.kind === "map");
  }

  #hasNullWhenEmpty(type: Type): boolean {
    return holdsBelow(type, (field) => this.#nullWhenEmpty(field), this.#holdsNullWhenEmpty);
  }

  /** The zero time of Go is null behind a pointer where typed clients print it, else it is unset. */
  #emptyWhenPrinted({ presence, type }: Field): (value: unknown) => boolean {
    const asNull = this.#dialect.rules.printUnsetAsNull;
    if (type.kind === "scalar") return presence === "keepZero" && asNull ? never : isNull;
    return never;
  }

  #unset(field: Field, node: Node): () => unknown {
    const { presence, type } = field;
    const none = this.#dialect.rules.printUnsetAsNull ? null : undefined;
    if (presence === "alwaysNull") return () => none;
    // A default replaces the zero value.
    if (presence !== "always" || field.default !== undefined) return () => undefined;
    if (type.kind === "struct" || (type.kind === "scalar" && zeroOf(type) !== null && type.format !== "byte")) {
      return () => node.zero();
    }
    return () => none;
  }

  #hasDefaults(type: Type): boolean {
    return holdsBelow(type, (field) => field.default !== undefined, this.#defaulted);
  }
}

/** The node of a value without a schema. */
const ANYTHING: Node = { decode: (value) => value, zero: () => null, applyDefaults: undefined, normalise: undefined };

/**
 * Whether `own` holds for a member of a type or of one below it. A type may contain itself, so false is cached in `known`
 * only for the outermost type.
 */
function holdsBelow(
  type: Type,
  own: (field: Field) => boolean,
  known: Map<Type, boolean>,
  seen: Set<Type> = new Set(),
): boolean {
  const result = known.get(type);
  if (result !== undefined) return result;
  if (seen.has(type)) return false;
  const isAsked = seen.size === 0;
  seen.add(type);
  let found = false;
  if (type.kind === "struct") {
    found = [...type.fields.values()].some((field) => own(field) || holdsBelow(field.type, own, known, seen));
  } else if (type.kind === "map" || type.kind === "list") found = holdsBelow(type.item, own, known, seen);
  if (found || isAsked) known.set(type, found);
  return found;
}

const never = (): boolean => false;
const isNull = (value: unknown): boolean => value === null;

const isEmptyObject = (value: unknown): boolean => {
  for (const _key in value as object) return false;
  return true;
};

/** Which values of a type `omitEmpty` leaves out. */
function emptinessOf(type: Type): (value: unknown) => boolean {
  switch (type.kind) {
    case "scalar":
      if (type.scalar === "intOrString" || type.scalar === "json") return never;
      return (value) => value === "" || value === 0 || value === false || value === null;
    case "list":
      return (value) => Array.isArray(value) && value.length === 0;
    case "map":
      return (value) => isObject(value) && isEmptyObject(value);
    default:
      return never;
  }
}

/** The zero value of a scalar; null for times, which have no zero text, and for any JSON. */
function zeroOf(type: Type & { kind: "scalar" }): unknown {
  if (type.scalar === "json") return null;
  if (type.format === "date-time" || type.format === "micro-time") return null;
  if (type.format === "quantity") return "0";
  switch (type.scalar) {
    case "string":
      return "";
    case "boolean":
      return false;
    default:
      return 0;
  }
}

function mapNode(itemOf: () => Node, itemType: Type, hasDefaults: boolean, hasNullWhenEmpty: boolean): Node {
  // Labels and data are maps of plain strings, which need no decoding.
  const plain = itemType.kind === "scalar" && itemType.scalar === "string" && itemType.format === undefined;
  let item: Node | undefined;
  return {
    decode(value, report) {
      if (!isObject(value)) return report.mismatch("a map", value);
      item ??= itemOf();
      let members = 0;
      for (const key in value) {
        const sent = value[key];
        members++;
        if (plain && typeof sent === "string") continue;
        report.enter(key);
        const kept = sent === null ? item.zero() : item.decode(sent, report);
        report.leave();
        if (kept !== sent) setMember(value, key, kept);
      }
      report.count(members);
      return value;
    },
    zero: () => null,
    applyDefaults: hasDefaults
      ? (value) => {
          item ??= itemOf();
          if (isObject(value)) for (const key in value) item.applyDefaults?.(value[key]);
        }
      : undefined,
    normalise: hasNullWhenEmpty
      ? (value) => {
          item ??= itemOf();
          if (isObject(value)) for (const key in value) item.normalise?.(value[key]);
        }
      : undefined,
  };
}

function listNode(itemOf: () => Node, hasDefaults: boolean, hasNullWhenEmpty: boolean): Node {
  let item: Node | undefined;
  return {
    decode(value, report) {
      if (!Array.isArray(value)) return report.mismatch("a list", value);
      item ??= itemOf();
      for (let i = 0; i < value.length; i++) {
        const sent: unknown = value[i];
        report.enter(i);
        const kept = sent === null ? item.zero() : item.decode(sent, report);
        report.leave();
        if (kept !== sent) value[i] = kept;
      }
      report.count(value.length);
      return value;
    },
    zero: () => null,
    applyDefaults: hasDefaults
      ? (value) => {
          item ??= itemOf();
          if (Array.isArray(value)) for (const element of value) item.applyDefaults?.(element);
        }
      : undefined,
    normalise: hasNullWhenEmpty
      ? (value) => {
          item ??= itemOf();
          if (Array.isArray(value)) for (const element of value) item.normalise?.(element);
        }
      : undefined,
  };
}

function structNode(
  type: StructType,
  membersOf: () => ReadonlyMap<string, Member>,
  hasDefaults: boolean,
  hasNullWhenEmpty: boolean,
): Node {
  let members: ReadonlyMap<string, Member> | undefined;
  let printed: readonly Member[] = [];
  let defaulted: readonly Member[] = [];
  let settled: readonly Member[] = [];
  // A struct may contain itself, so its members are compiled with the first value.
  const open = (): ReadonlyMap<string, Member> => {
    if (members) return members;
    members = membersOf();
    printed = [...members.values()].filter((member) => member.unset() !== undefined);
    defaulted = [...members.values()].filter((m) => m.default !== undefined || m.node.applyDefaults !== undefined);
    settled = [...members.values()].filter((m) => m.nullWhenEmpty || m.node.normalise !== undefined);
    return members;
  };

  const decode = (value: unknown, report: DecodeReport): unknown => {
    if (!isObject(value)) return report.mismatch("an object", value);
    const known = open();
    for (const key in value) {
      const member = known.get(key);
      if (member) decodeMember(value, member, report);
      else if (!type.open) {
        report.unknownMember(key);
        delete value[key];
      }
    }
    // By index: an iterator would be the only allocation of a walk.
    for (let i = 0; i < printed.length; i++) {
      const member = printed[i]!;
      if (!Object.hasOwn(value, member.name)) setMember(value, member.name, member.unset());
    }
    return value;
  };

  return {
    decode,
    zero: () => decode({}, new DecodeReport()),
    applyDefaults: hasDefaults
      ? (value) => {
          open();
          if (isObject(value)) for (const member of defaulted) defaultMember(value, member);
        }
      : undefined,
    normalise: hasNullWhenEmpty
      ? (value) => {
          open();
          if (isObject(value)) for (const member of settled) settleMember(value, member);
        }
      : undefined,
  };
}

function decodeMember(value: ValueObject, member: Member, report: DecodeReport): void {
  const sent: unknown = value[member.name];
  if (sent !== null) {
    report.enter(member.name);
    const kept = member.node.decode(sent, report);
    report.leave();
    if (!member.isEmpty(kept)) {
      if (kept !== sent) setMember(value, member.name, kept);
      return;
    }
  }
  if (sent !== null && typeof sent === "object") report.leftOut(member.name);
  // Empty or null: its presence decides what is printed.
  const printed = member.unset();
  if (printed === undefined) delete value[member.name];
  else setMember(value, member.name, printed);
}

function settleMember(object: ValueObject, { name, node, nullWhenEmpty }: Member): void {
  const value: unknown = Object.hasOwn(object, name) ? object[name] : undefined;
  if (nullWhenEmpty && typeof value === "object" && value !== null && isEmptyObject(value))
    setMember(object, name, null);
  else node.normalise?.(value);
}

function defaultMember(object: ValueObject, { name, node, default: standard, presence }: Member): void {
  const value: unknown = Object.hasOwn(object, name) ? object[name] : undefined;
  const unset = value === undefined || (presence !== "keepZero" && (value === null || value === ""));
  if (unset && standard !== undefined) setMember(object, name, clone(standard as Value));
  if (!unset || standard !== undefined) node.applyDefaults?.(object[name]);
}
