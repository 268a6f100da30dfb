/**
 * The walker: brings decoded JSON into wire form and applies the defaults of a schema. It is compiled once per schema.
 *
 * Wire form is what a typed client would print of the object: members of the right JSON types, nothing that the schema
 * does not know, quantities, times and bytes in canonical form, empty members left out or printed as their
 * {@link Presence} says, null nowhere but where such a client prints it. The value is changed in place; a value that is
 * in wire form already costs no allocation.
 *
 * The walker knows types only. What values mean is checked by the rules of each kind.
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

/** How one type is walked. `decode` is never given null; `zero` is what null stands for inside lists and maps. */
interface Node {
  readonly decode: Decode;
  zero(): unknown;
  /** Undefined when there are no defaults below. */
  readonly applyDefaults: ((value: unknown) => void) | undefined;
  /** Undefined when there is nothing to settle below. */
  readonly settle: ((value: unknown) => void) | undefined;
}

const walkers = new WeakMap<Dialect, WeakMap<TSchema, Walker>>();

/** The walker of a kind's schema; compiled when it is first asked for, and once for all who have the same schema. */
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
    settle: (object) => node.settle?.(object),
    zero: () => node.zero() as ApiObject,
  };
}

/** A member of a struct, compiled. */
interface Member {
  readonly name: string;
  readonly node: Node;
  /** Whether a value that was sent is as good as none. */
  isEmpty(value: unknown): boolean;
  /** What an unset member is printed as; undefined when it is left out. */
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
          settle: undefined,
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

  /** A value of one of several JSON types: the schema of that type is the one to follow. */
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
   * An empty list or map that is always printed reads back as null where typed clients do the printing: their storage
   * does not tell empty from unset.
   */
  #nullWhenEmpty({ presence, type }: Field): boolean {
    const isPrinted = presence === "always" || presence === "alwaysNull";
    return isPrinted && this.#dialect.rules.printUnsetAsNull && (type.kind === "list" || type.kind === "map");
  }

  #hasNullWhenEmpty(type: Type): boolean {
    return holdsBelow(type, (field) => this.#nullWhenEmpty(field), this.#holdsNullWhenEmpty);
  }

  /** A time without a moment is null behind a pointer where typed clients do the printing, else it is unset. */
  #emptyWhenPrinted({ presence, type }: Field): (value: unknown) => boolean {
    const asNull = this.#dialect.rules.printUnsetAsNull;
    if (type.kind === "scalar") return presence === "keepZero" && asNull ? never : isNull;
    return never;
  }

  #unset(field: Field, node: Node): () => unknown {
    const { presence, type } = field;
    const none = this.#dialect.rules.printUnsetAsNull ? null : undefined;
    if (presence === "alwaysNull") return () => none;
    // A default takes the place of the zero value.
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

/** The node of a value of which nothing is known. */
const ANYTHING: Node = { decode: (value) => value, zero: () => null, applyDefaults: undefined, settle: undefined };

/**
 * Whether something holds for a member of a type or of one below it. A type may contain itself, so "no" is certain, and
 * kept in `known`, only for the type that was asked about.
 */
function holdsBelow(
  type: Type,
  own: (field: Field) => boolean,
  known: Map<Type, boolean>,
  seen: Set<Type> = new Set(),
): boolean {
  const answer = known.get(type);
  if (answer !== undefined) return answer;
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
  // Labels and data are maps of plain strings: those need no more than a look.
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
    settle: hasNullWhenEmpty
      ? (value) => {
          item ??= itemOf();
          if (isObject(value)) for (const key in value) item.settle?.(value[key]);
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
    settle: hasNullWhenEmpty
      ? (value) => {
          item ??= itemOf();
          if (Array.isArray(value)) for (const element of value) item.settle?.(element);
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
  // A struct may contain itself, so its members are compiled when the first value comes.
  const open = (): ReadonlyMap<string, Member> => {
    if (members) return members;
    members = membersOf();
    printed = [...members.values()].filter((member) => member.unset() !== undefined);
    defaulted = [...members.values()].filter((m) => m.default !== undefined || m.node.applyDefaults !== undefined);
    settled = [...members.values()].filter((m) => m.nullWhenEmpty || m.node.settle !== undefined);
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
    // By index: an iterator would be the one allocation of a walk.
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
    settle: hasNullWhenEmpty
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
  // Set empty or null: what is printed of such a member depends on its presence alone.
  const printed = member.unset();
  if (printed === undefined) delete value[member.name];
  else setMember(value, member.name, printed);
}

function settleMember(object: ValueObject, { name, node, nullWhenEmpty }: Member): void {
  const value: unknown = Object.hasOwn(object, name) ? object[name] : undefined;
  if (nullWhenEmpty && typeof value === "object" && value !== null && isEmptyObject(value))
    setMember(object, name, null);
  else node.settle?.(value);
}

function defaultMember(object: ValueObject, { name, node, default: standard, presence }: Member): void {
  const value: unknown = Object.hasOwn(object, name) ? object[name] : undefined;
  const unset = value === undefined || (presence !== "keepZero" && (value === null || value === ""));
  if (unset && standard !== undefined) setMember(object, name, clone(standard as Value));
  if (!unset || standard !== undefined) node.applyDefaults?.(object[name]);
}
