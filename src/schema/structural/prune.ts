/**
 * Pruning: what the schema does not know goes, null goes where it means nothing, the metadata of embedded objects is read
 * as metadata (CRD-41, CRD-43, CRD-44). One walk does all three, in place; a value that is clean costs no allocation.
 *
 * Nothing is said here about the types of members: a text where an integer is expected is for the validator. Only what no
 * reader could make sense of is a mismatch: a number beyond the doubles, malformed metadata, an apiVersion that is no text.
 *
 * @module
 */
import { type ValueObject, JsonNumber, isObject, setMember } from "../../value/value.ts";
import type { DecodeReport } from "../decode-report.ts";
import { type StructuralSchema, defaultOf, isNullUnset, schemaOfOthers, takesOthers } from "./structural-schema.ts";

/** One walk over one object. */
export interface Visit {
  readonly report: DecodeReport;
  /** Whether null stays where it means nothing: in what an apply made, it is for the validator to tell. */
  readonly keepsNulls: boolean;
  /** Whether malformed metadata is dropped, as on reads, or told. */
  readonly lenient: boolean;
  /** Set when something was dropped from the object. */
  changed: boolean;
}

/** Walks a value below a member or element, in place; gives what is to stand there. */
export type Prune = (value: unknown, visit: Visit) => unknown;

/** How the members of an embedded object are read that every object has. */
export interface HeadReaders {
  readonly metadata: Prune;
  readonly name: Prune;
}

/** A member that may be there. */
interface Member {
  readonly prune: Prune;
  readonly dropsNull: boolean;
  /** Whether texts, numbers and truth values are walked as well. */
  readonly seesScalars: boolean;
}

/** Compiles schemas; children are compiled when the first value comes. */
export class PruneCompiler {
  readonly #head: HeadReaders;

  constructor(head: HeadReaders) {
    this.#head = head;
  }

  /** The walk of a schema; `open` as if it were marked to preserve unknown fields, `embedded` as if it were an object. */
  compile(
    schema: StructuralSchema,
    open = schema["x-kubernetes-preserve-unknown-fields"] === true,
    embedded = schema["x-kubernetes-embedded-resource"] === true,
  ): Prune {
    const members = new Map<string, Member>();
    for (const [name, own] of Object.entries(schema.properties ?? {})) members.set(name, this.#member(own));
    if (embedded) this.#setHead(members);
    const others = this.#others(schema, open);
    const items = this.#items(schema, open);
    return (value, visit) => {
      if (Array.isArray(value)) return pruneItems(value, items, visit);
      if (isObject(value)) return pruneMembers(value, members, others, visit);
      return value instanceof JsonNumber ? plainNumber(value, visit.report) : value;
    };
  }

  #member(schema: StructuralSchema): Member {
    const dropsNull = isNullUnset(schema) && defaultOf(schema) === undefined;
    if (isLeaf(schema)) return dropsNull ? LEAF : NULLABLE_LEAF;
    return { prune: this.#lazily(schema), dropsNull, seesScalars: false };
  }

  #lazily(schema: StructuralSchema, open?: boolean): Prune {
    let compiled: Prune | undefined;
    return (value, visit) => (compiled ??= this.compile(schema, open))(value, visit);
  }

  /** Members without a name of their own; undefined when they are dropped. */
  #others(schema: StructuralSchema, open: boolean): Member | undefined {
    const own = schemaOfOthers(schema);
    if (own) return this.#member(own);
    if (takesOthers(schema)) return { prune: pruneAll, dropsNull: false, seesScalars: false };
    return open ? { prune: keepAll, dropsNull: false, seesScalars: false } : undefined;
  }

  /** What an object preserves, its lists preserve for their elements. */
  #items(schema: StructuralSchema, open: boolean): Prune {
    if (!schema.items) return open ? keepAll : pruneAll;
    return this.#lazily(schema.items, open ? true : undefined);
  }

  #setHead(members: Map<string, Member>): void {
    for (const name of ["apiVersion", "kind", "metadata"] as const) {
      const prune = name === "metadata" ? this.#head.metadata : this.#head.name;
      members.set(name, { prune, dropsNull: members.get(name)?.dropsNull ?? false, seesScalars: true });
    }
  }
}

function pruneMembers(
  value: ValueObject,
  members: ReadonlyMap<string, Member>,
  others: Member | undefined,
  visit: Visit,
): unknown {
  let strangers = 0;
  for (const key in value) {
    let member = members.get(key);
    if (member === undefined) {
      strangers++;
      member = others;
    }
    if (member === undefined) dropUnknown(value, key, visit);
    else pruneMember(value, key, member, visit);
  }
  if (others !== undefined) visit.report.count(strangers);
  return value;
}

function pruneMember(value: ValueObject, key: string, member: Member, visit: Visit): void {
  const sent = value[key]!;
  if (sent === null && member.dropsNull && !visit.keepsNulls) {
    delete value[key];
    visit.changed = true;
  } else if (member.seesScalars || (typeof sent === "object" && sent !== null)) {
    visit.report.enter(key);
    const kept = member.prune(sent, visit);
    visit.report.leave();
    if (kept === undefined) delete value[key];
    else if (kept !== sent) setMember(value, key, kept);
  }
}

function dropUnknown(value: ValueObject, key: string, visit: Visit): void {
  visit.report.unknownMember(key);
  delete value[key];
  visit.changed = true;
}

function pruneItems(value: unknown[], item: Prune, visit: Visit): unknown {
  for (let i = 0; i < value.length; i++) {
    const sent = value[i];
    if (typeof sent !== "object" || sent === null) continue;
    visit.report.enter(i);
    const kept = item(sent, visit);
    visit.report.leave();
    if (kept !== sent) value[i] = kept;
  }
  visit.report.count(value.length);
  return value;
}

const NONE: ReadonlyMap<string, Member> = new Map();

/** Below a place without a schema nothing but scalars and lists stays: objects lose all members. */
const pruneAll: Prune = (value, visit) => {
  if (Array.isArray(value)) return pruneItems(value, pruneAll, visit);
  if (isObject(value)) return pruneMembers(value, NONE, undefined, visit);
  return value instanceof JsonNumber ? plainNumber(value, visit.report) : value;
};

/** Below a place that preserves what it does not know everything stays. */
const keepAll: Prune = (value, visit) => {
  if (Array.isArray(value)) return pruneItems(value, keepAll, visit);
  if (isObject(value)) return pruneMembers(value, NONE, KEPT, visit);
  return value instanceof JsonNumber ? plainNumber(value, visit.report) : value;
};

/** Most members are scalars, and need nothing of their own. */
const isLeaf = (schema: StructuralSchema): boolean =>
  !schema.properties &&
  !schema.items &&
  !takesOthers(schema) &&
  !schema["x-kubernetes-preserve-unknown-fields"] &&
  !schema["x-kubernetes-embedded-resource"];

const LEAF: Member = { prune: pruneAll, dropsNull: true, seesScalars: false };
const NULLABLE_LEAF: Member = { ...LEAF, dropsNull: false };
const KEPT: Member = { prune: keepAll, dropsNull: false, seesScalars: false };

/** `19.0` is 19; integers of 64 bits keep their digits; what no double holds cannot be read. */
function plainNumber(number: JsonNumber, report: DecodeReport): unknown {
  const { integer, value } = number;
  if (integer !== undefined && !Number.isSafeInteger(value) && BigInt.asIntN(64, integer) === integer) return number;
  return Number.isFinite(value) ? value : report.mismatch("a number of 64 bits", number, true);
}
