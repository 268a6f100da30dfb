/**
 * The walker of custom objects: pruning and defaults by a structural schema (CRD-41, 43, 44).
 *
 * Sent values are kept: zero values, nulls where they are allowed, all digits of 64-bit integers. The walk follows the JSON
 * type of the value; the validator reports values of another type than that of the schema. A valid value costs no
 * allocation.
 *
 * @module
 */
import type { Dialect } from "../../meta/dialect.ts";
import { ObjectMetaSchema } from "../../meta/object-meta.ts";
import { tooLarge } from "../../meta/status.ts";
import { type Value, type ValueObject, asJsonNumber, clone, isObject, setMember } from "../../value/value.ts";
import type { ApiObject, Walker } from "../definition.ts";
import { DecodeReport } from "../decode-report.ts";
import { walkerOf } from "../walker.ts";
import { OBJECT_MEMBERS, type Structural, valuesOf } from "./schema.ts";

const walkers = new WeakMap<Dialect, WeakMap<Structural, Walker>>();

/** The walker of a custom object, compiled on first use, once for each schema object. */
export function structuralWalker(schema: Structural, dialect: Dialect): Walker {
  let known = walkers.get(dialect);
  if (!known) walkers.set(dialect, (known = new WeakMap()));
  let walker = known.get(schema);
  if (!walker) known.set(schema, (walker = new StructuralWalker(schema, dialect)));
  return walker;
}

/** The unknown members of a value by a schema, and whether an embedded object has invalid metadata. */
export function prunedBy(
  schema: Structural,
  value: Value,
  dialect: Dialect,
): { readonly unknown: readonly string[]; readonly malformed: boolean } {
  const report = new DecodeReport();
  const node = new Node(schema, false, walkerOf(ObjectMetaSchema, { dialect }));
  node.prune(clone(value), new Pass(report, false));
  return { unknown: report.unknown, malformed: report.mismatches.length > 0 };
}

class StructuralWalker implements Walker {
  readonly #root: Node;
  readonly #metadata: Walker;

  constructor(schema: Structural, dialect: Dialect) {
    this.#metadata = walkerOf(ObjectMetaSchema, { dialect });
    this.#root = new Node(schema, true, this.#metadata);
  }

  decode(value: unknown, report: DecodeReport, isMerged = false): ApiObject {
    if (!isObject(value as Value)) report.mismatch("an object", value);
    else this.#root.prune(value, new Pass(report, false, isMerged));
    return value as ApiObject;
  }

  applyDefaults(object: ApiObject): void {
    const budget = new DefaultBudget();
    this.#root.fill(object, budget);
    if (budget.left < 0) throw tooLarge(`expected defaults of at most ${MAX_DEFAULT_BYTES} bytes, got more`);
  }

  normalise(): void {}

  zero(): ApiObject {
    return { metadata: this.#metadata.zero() } as unknown as ApiObject;
  }

  prune(object: ApiObject): void {
    this.#root.prune(object, new Pass(new DecodeReport(), true));
  }

  read(object: ApiObject): boolean {
    const pass = new Pass(new DecodeReport(), true);
    this.#root.prune(object, pass);
    return this.#root.fill(object, new DefaultBudget()) || pass.changed;
  }
}

/** One walk over a sent object, or over a stored one, in which nothing is refused. */
class Pass {
  readonly report: DecodeReport;
  readonly lenient: boolean;
  readonly keepsNulls: boolean;
  changed = false;

  constructor(report: DecodeReport, lenient: boolean, keepsNulls = false) {
    this.report = report;
    this.lenient = lenient;
    this.keepsNulls = keepsNulls;
  }

  drop(value: ValueObject, key: string): void {
    delete value[key];
    this.changed = true;
  }
}

/** Bytes of JSON that defaults may add to an object: no store accepts more. */
const MAX_DEFAULT_BYTES = 1_572_864;
/** The bytes around a member: quotes, a colon and a comma. */
const MEMBER_BYTES = 4;

/** How many bytes defaults may still add to an object: a short list may have a long default for each of its items. */
class DefaultBudget {
  left = MAX_DEFAULT_BYTES;

  /** Whether the budget allows a default. */
  spend(bytes: number): boolean {
    this.left -= bytes;
    return this.left >= 0;
  }
}

/** A default, and the bytes of its JSON text. */
interface Default {
  readonly value: Value;
  readonly bytes: number;
  readonly nullable: boolean;
}

const defaultOf = ({ default: value, nullable = false }: Structural): Default | undefined =>
  value === undefined ? undefined : { value, bytes: JSON.stringify(value).length, nullable };

/** The walk of a value by a schema. */
class Node {
  readonly #schema: Structural;
  readonly #embedded: boolean;
  readonly #isRoot: boolean;
  readonly #preserves: boolean;
  readonly #metadata: Walker;
  readonly #known = new Map<string, Node>();
  #values: Node | undefined;
  #items: Node | undefined;
  #fills: boolean | undefined;
  #defaulted: readonly [string, Default][] | undefined;
  #fallback: Default | null | undefined;

  constructor(schema: Structural, isRoot: boolean, metadata: Walker) {
    this.#schema = schema;
    this.#isRoot = isRoot;
    this.#embedded = isRoot || schema["x-kubernetes-embedded-resource"] === true;
    this.#preserves = schema["x-kubernetes-preserve-unknown-fields"] === true;
    this.#metadata = metadata;
    const { properties = {}, items } = schema;
    for (const name of Object.keys(properties)) this.#known.set(name, new Node(properties[name]!, false, metadata));
    const values = valuesOf(schema);
    if (values) this.#values = new Node(values, false, metadata);
    if (items) this.#items = new Node(items, false, metadata);
  }

  /** Whether a null means absent. */
  get dropsNull(): boolean {
    return this.#schema.nullable !== true && this.#schema.default === undefined;
  }

  /** The value, or its replacement, without unknown members. */
  prune(value: unknown, pass: Pass, keepsAny: boolean = this.#preserves): unknown {
    if (Array.isArray(value)) return this.#pruneList(value, pass, keepsAny);
    if (typeof value !== "object" || value === null) return value;
    if (asJsonNumber(value)) return plainNumber(value, pass);
    return this.#pruneObject(value as ValueObject, pass, keepsAny);
  }

  #pruneObject(value: ValueObject, pass: Pass, keepsAny: boolean): ValueObject {
    const { report } = pass;
    const hasValues = this.#schema.additionalProperties !== undefined;
    let members = 0;
    for (const key in value) {
      members++;
      const sent: unknown = value[key];
      if (this.#embedded && OBJECT_MEMBERS.has(key)) {
        this.#coerce(value, key, sent, pass);
        continue;
      }
      const node = this.#known.get(key) ?? this.#values;
      if (!node && !hasValues && !keepsAny) {
        if (!this.#isRoot || !OBJECT_MEMBERS.has(key)) report.unknownMember(key);
        pass.drop(value, key);
        continue;
      }
      if (sent === null) {
        if (node?.dropsNull && !pass.keepsNulls) pass.drop(value, key);
        continue;
      }
      if (typeof sent !== "object") continue;
      report.enter(key);
      // The types of values in a map without a schema are not known; values that are only kept are not examined.
      const kept = node ? node.prune(sent, pass) : hasValues ? pruneAll(sent, pass) : pruneNumbers(sent, pass);
      report.leave();
      if (kept !== sent) setMember(value, key, kept as Value);
    }
    report.count(members);
    return value;
  }

  #pruneList(value: unknown[], pass: Pass, keepsAny: boolean): unknown[] {
    const { report } = pass;
    const items = this.#items;
    for (let i = 0; i < value.length; i++) {
      const sent = value[i];
      if (typeof sent !== "object" || sent === null) continue;
      report.enter(i);
      const kept = items
        ? items.prune(sent, pass, keepsAny || items.#preserves)
        : keepsAny
          ? pruneNumbers(sent, pass)
          : pruneAll(sent, pass);
      report.leave();
      if (kept !== sent) value[i] = kept;
    }
    report.count(value.length);
    return value;
  }

  /** Checks the types of the identity members, whatever the schema has for them (CRD-44). */
  #coerce(value: ValueObject, key: string, sent: unknown, pass: Pass): void {
    const { report, lenient } = pass;
    if (key === "metadata") return this.#coerceMetadata(value, sent, pass);
    if (typeof sent === "string") return;
    if (lenient || (this.#isRoot && sent === null)) return pass.drop(value, key);
    report.enter(key);
    report.mismatch("a text", sent);
    report.leave();
  }

  #coerceMetadata(value: ValueObject, sent: unknown, pass: Pass): void {
    const { report, lenient } = pass;
    // Metadata of the object itself was written by this server.
    if (lenient && this.#isRoot) return;
    if (sent === null) {
      if (this.#isRoot) pass.drop(value, "metadata");
      else setMember(value, "metadata", {});
      return;
    }
    const own = lenient ? new DecodeReport() : report;
    report.enter("metadata");
    const kept = this.#metadata.decode(sent, own);
    report.leave();
    if (lenient && own.mismatches.length > 0) pass.drop(value, "metadata");
    else if (kept !== sent) setMember(value, "metadata", kept as unknown as Value);
  }

  /** Whether the schema or one below it has a default. */
  get fills(): boolean {
    return (this.#fills ??=
      this.#schema.default !== undefined ||
      [...this.#known.values(), this.#values, this.#items].some((node) => node?.fills === true));
  }

  /** Sets defaults below a value within the budget; returns whether there was one to set. */
  fill(value: unknown, budget: DefaultBudget): boolean {
    if (!this.fills || typeof value !== "object" || value === null || budget.left < 0) return false;
    return Array.isArray(value) ? this.#fillList(value, budget) : this.#fillObject(value as ValueObject, budget);
  }

  #fillObject(value: ValueObject, budget: DefaultBudget): boolean {
    let changed = false;
    for (const [name, fallback] of this.#defaults) {
      const isMissing = !Object.hasOwn(value, name) || (value[name] === null && !fallback.nullable);
      if (!isMissing) continue;
      if (!budget.spend(name.length + MEMBER_BYTES + fallback.bytes)) return changed;
      setMember(value, name, clone(fallback.value));
      changed = true;
    }
    if (this.#values?.fills) {
      const values = this.#values;
      for (const key in value) {
        if (this.#known.has(key)) continue;
        if (value[key] === null && values.#fillsNull(budget)) {
          setMember(value, key, clone(values.#own!.value));
          changed = true;
        }
        if (values.fill(value[key], budget)) changed = true;
      }
    }
    for (const [name, node] of this.#known) {
      if (node.fills && Object.hasOwn(value, name) && node.fill(value[name], budget)) changed = true;
    }
    return changed;
  }

  #fillList(value: unknown[], budget: DefaultBudget): boolean {
    const items = this.#items;
    if (!items) return false;
    let changed = false;
    for (let i = 0; i < value.length && budget.left >= 0; i++) {
      if (value[i] === null && items.#fillsNull(budget)) {
        value[i] = clone(items.#own!.value);
        changed = true;
      }
      if (items.fill(value[i], budget)) changed = true;
    }
    return changed;
  }

  /** Whether a default replaces a null, and the budget allows it. */
  #fillsNull(budget: DefaultBudget): boolean {
    const fallback = this.#own;
    return fallback !== undefined && !fallback.nullable && budget.spend(fallback.bytes);
  }

  /** The default of the value itself. */
  get #own(): Default | undefined {
    if (this.#fallback === undefined) this.#fallback = defaultOf(this.#schema) ?? null;
    return this.#fallback ?? undefined;
  }

  get #defaults(): readonly [string, Default][] {
    if (this.#defaulted) return this.#defaulted;
    const defaults: [string, Default][] = [];
    for (const [name, member] of Object.entries(this.#schema.properties ?? {})) {
      const fallback = defaultOf(member);
      if (fallback) defaults.push([name, fallback]);
    }
    return (this.#defaulted = defaults);
  }
}

/** Drops every member of a value without a schema. */
function pruneAll(value: unknown, pass: Pass): unknown {
  if (asJsonNumber(value)) return plainNumber(value, pass);
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) {
      pass.report.enter(i);
      const kept = pruneAll(item, pass);
      pass.report.leave();
      if (kept !== item) value[i] = kept;
    }
  } else if (isObject(value as Value)) {
    for (const key in value as ValueObject) {
      pass.report.unknownMember(key);
      pass.drop(value as ValueObject, key);
    }
  }
  return value;
}

/** Keeps a value without a schema; only its numbers are converted to one form. */
function pruneNumbers(value: unknown, pass: Pass): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (asJsonNumber(value)) return plainNumber(value, pass);
  let members = 0;
  for (const key in value) {
    members++;
    const sent = (value as Record<string, unknown>)[key];
    if (typeof sent !== "object" || sent === null) continue;
    pass.report.enter(Array.isArray(value) ? Number(key) : key);
    const kept = pruneNumbers(sent, pass);
    pass.report.leave();
    if (kept !== sent) setMember(value as ValueObject, key, kept as Value);
  }
  pass.report.count(members);
  return value;
}

const [MIN_INT64, MAX_INT64] = [-(2n ** 63n), 2n ** 63n - 1n];

/** Integers of 64 bits keep their digits; other numbers are doubles. */
function plainNumber(value: unknown, pass: Pass): unknown {
  const number = asJsonNumber(value)!;
  const { integer } = number;
  if (integer !== undefined && integer >= MIN_INT64 && integer <= MAX_INT64) {
    return Number.isSafeInteger(number.value) ? number.value : value;
  }
  if (Number.isFinite(number.value)) {
    if (integer !== undefined && number.text !== String(number.value)) pass.report.round(number.text, number.value);
    return number.value;
  }
  return pass.report.mismatch("a number that a double can hold", value, true);
}
