/**
 * Random stories of field ownership: a schema, several managers, applies and updates one after another.
 *
 * Values come from small sets, so that managers meet. The same seed gives the same story on every machine; the original
 * library (main.go) and ours play it, and must agree on objects, owners and conflicts.
 *
 * @module
 */
import type { JsonSchema } from "../../../src/apply/index.ts";
import { setMember } from "../../../src/value/value.ts";
import type { Value, ValueObject } from "../../../src/value/value.ts";

/** One write. */
export interface Step {
  readonly op: "apply" | "force" | "update";
  readonly manager: string;
  readonly version: string;
  /** Which of the schemas is in force: later ones are later releases. */
  readonly schema: number;
  readonly object: Value;
}

/** A story; see main.go for the form that the original reads. */
export interface Story {
  readonly seed: number;
  readonly schemas: readonly Readonly<Record<string, JsonSchema>>[];
  readonly renames: Readonly<Record<string, string>>;
  readonly exclude: Readonly<Record<string, ValueObject>>;
  /** Paths without an owner. */
  readonly strip: ValueObject;
  readonly steps: readonly Step[];
}

/** What a step gave. Conflicts are `[manager, path]`, in any order. */
export interface StepResult {
  readonly object?: Value;
  readonly managers?: Readonly<
    Record<string, { readonly version: string; readonly applied: boolean; readonly set: Value }>
  >;
  readonly conflicts?: readonly (readonly [string, string])[];
  readonly error?: string;
}

/** A small deterministic source of chance (mulberry32). */
class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = Math.imul(seed, 0x9e3779b1) >>> 0;
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  one<T>(of: readonly T[]): T {
    return of[Math.floor(this.next() * of.length)]!;
  }

  maybe(probability: number): boolean {
    return this.next() < probability;
  }

  some<T>(of: readonly T[], probability: number): T[] {
    return of.filter(() => this.maybe(probability));
  }

  shuffled<T>(of: readonly T[]): T[] {
    return of
      .map((item) => ({ item, at: this.next() }))
      .sort((a, b) => a.at - b.at)
      .map(({ item }) => item);
  }
}

/** Story number `seed`. */
export function makeStory(seed: number): Story {
  const chance = new Chance(seed + 1);
  const v1 = rootSchema(chance);
  const renames = chance.maybe(0.5) ? { a: "a2" } : {};
  const both = (schema: JsonSchema) => ({ v1: schema, v2: renameRoot(schema, renames) });
  const schemas = [both(v1)];
  if (chance.maybe(0.3)) schemas.push(both({ ...flip(chance, v1), "x-kubernetes-map-type": "granular" }));
  const exclude = chance.maybe(0.15) ? excluded(chance, renames) : {};
  return { seed, schemas, renames, exclude, strip: stripped(seed), steps: makeSteps(chance, schemas, renames) };
}

/** As `metadata` is stripped: the container itself and some of its members. */
function stripped(seed: number): ValueObject {
  const chance = new Chance(-seed - 1);
  if (chance.maybe(0.7)) return {};
  const names = chance.some(["f:x", "f:y"], 0.6);
  return { [`f:${chance.one(["b", "c", "d"])}`]: { ".": {}, ...Object.fromEntries(names.map((name) => [name, {}])) } };
}

function makeSteps(chance: Chance, schemas: Story["schemas"], renames: Story["renames"]): Step[] {
  const count = 3 + Math.floor(chance.next() * 8);
  const versions = chance.maybe(0.5) ? ["v1", "v2"] : ["v1"];
  const turn = schemas.length > 1 ? Math.floor(count * (0.3 + 0.5 * chance.next())) : count;
  const last = new Map<string, Value>();
  return Array.from({ length: count }, (_, i) => {
    const op = chance.one(["apply", "apply", "apply", "force", "update", "update"] as const);
    const manager = chance.one(["m", "n", "o"]);
    const version = chance.one(versions);
    const schema = i >= turn ? 1 : 0;
    const type = schemas[schema]!["v1"]!;
    const strict = op !== "update";
    const before = last.get(chance.one([manager, "m", "n"]));
    // Most writes are a variation of one before, as in life; the schema may have changed since.
    const fresh = before === undefined || i === turn || chance.maybe(0.3);
    const made = fresh ? value(chance, type, strict) : vary(chance, type, before, strict);
    last.set(manager, made);
    const object = version === "v2" ? renameMembers(made, renames) : made;
    return { op, manager, version, schema, object };
  });
}

const excluded = (chance: Chance, renames: Story["renames"]): Story["exclude"] => {
  const field = chance.one(["a", "b", "c"]);
  return { v1: { [`f:${field}`]: {} }, v2: { [`f:${renames[field] ?? field}`]: {} } };
};

function renameMembers(made: Value, renames: Story["renames"]): Value {
  if (typeof made !== "object" || made === null || Array.isArray(made)) return made;
  return Object.fromEntries(Object.entries(made).map(([key, item]) => [renames[key] ?? key, item]));
}

const renameRoot = (schema: JsonSchema, renames: Story["renames"]): JsonSchema => ({
  ...schema,
  properties: Object.fromEntries(Object.entries(schema.properties!).map(([key, item]) => [renames[key] ?? key, item])),
});

const NAMES = ["a", "b", "c", "d"];

function rootSchema(chance: Chance): JsonSchema {
  return { type: "object", properties: Object.fromEntries(NAMES.map((name) => [name, schemaOf(chance, 3)])) };
}

const SCALARS: readonly JsonSchema[] = [
  { type: "string" },
  { type: "integer" },
  { type: "boolean" },
  { "x-kubernetes-int-or-string": true },
];

function schemaOf(chance: Chance, depth: number): JsonSchema {
  const below = (): JsonSchema => schemaOf(chance, depth - 1);
  const kinds = ["scalar", "set", "keyed", "atomicList", "map", "atomicMap", "struct", "atomicStruct", "any", "open"];
  switch (depth === 0 ? "scalar" : chance.one(kinds)) {
    case "set":
      return { type: "array", "x-kubernetes-list-type": "set", items: chance.one(SCALARS) };
    case "keyed":
      return keyedList(chance, below);
    case "atomicList":
      return { type: "array", "x-kubernetes-list-type": "atomic", items: below() };
    case "map":
      return { type: "object", additionalProperties: below() };
    case "atomicMap":
      return { type: "object", "x-kubernetes-map-type": "atomic", additionalProperties: below() };
    case "struct":
      return { type: "object", properties: members(chance, below) };
    case "atomicStruct":
      return { type: "object", "x-kubernetes-map-type": "atomic", properties: members(chance, below) };
    case "open":
      return { type: "object", "x-kubernetes-preserve-unknown-fields": true, properties: members(chance, below) };
    case "any":
      return { "x-kubernetes-preserve-unknown-fields": true };
    default:
      return chance.one(SCALARS);
  }
}

const members = (chance: Chance, below: () => JsonSchema): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries(["x", "y", ...chance.some(["z"], 0.5)].map((name) => [name, below()]));

function keyedList(chance: Chance, below: () => JsonSchema): JsonSchema {
  const keys = chance.one([["k"], ["k"], ["p", "k"], ["k", "p"]]);
  const key = chance.one<JsonSchema>([{ type: "string" }, { type: "integer" }]);
  const port: JsonSchema = chance.maybe(0.5) ? { type: "string", default: "tcp" } : { type: "string" };
  return {
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": keys,
    items: { type: "object", properties: { k: key, p: port, v: below(), w: below() } },
  };
}

/** The schema of a next release: some containers are atomic now, or no longer. */
function flip(chance: Chance, schema: JsonSchema): JsonSchema {
  const flipped: Record<string, unknown> = { ...schema };
  const list = schema["x-kubernetes-list-type"];
  if (list !== undefined && list !== "atomic" && chance.maybe(0.4)) flipped["x-kubernetes-list-type"] = "atomic";
  if (list === "atomic" && isScalar(schema.items!) && chance.maybe(0.4)) flipped["x-kubernetes-list-type"] = "set";
  // The original leaves sets alone below a map of untyped values, also when that becomes atomic; AMB-34 has no exception.
  if (schema.properties ?? isTyped(schema.additionalProperties)) {
    const atomic = schema["x-kubernetes-map-type"] === "atomic";
    if (chance.maybe(0.3)) flipped["x-kubernetes-map-type"] = atomic ? "granular" : "atomic";
  }
  if (schema.properties) {
    flipped["properties"] = Object.fromEntries(
      Object.entries(schema.properties).map(([name, item]) => [name, flip(chance, item)]),
    );
  }
  return flipped as JsonSchema;
}

const isTyped = (items: JsonSchema | boolean | undefined): boolean =>
  typeof items === "object" && items.type !== undefined && !items["x-kubernetes-int-or-string"];

const isScalar = (schema: JsonSchema): boolean =>
  schema["x-kubernetes-int-or-string"] === true || ["string", "integer", "boolean"].includes(schema.type ?? "");

/** A value of a schema. `strict` ones are for applies: without duplicates, rarely with what an apply refuses. */
function value(chance: Chance, schema: JsonSchema, strict: boolean, root = true): Value {
  if (!root && chance.maybe(0.04)) return null;
  if (schema["x-kubernetes-int-or-string"]) return chance.one<Value>([1, 2, "a"]);
  switch (schema.type) {
    case "string":
      return chance.one(["a", "b", "<é"]);
    case "integer":
      return chance.one([0, 1, 2]);
    case "boolean":
      return chance.maybe(0.5);
    case "array":
      return listOf(chance, schema, strict);
    case "object":
      return objectOf(chance, schema, strict);
    default:
      return free(chance, 2);
  }
}

function free(chance: Chance, depth: number): Value {
  const kinds = depth === 0 ? ["scalar"] : ["scalar", "scalar", "list", "object", "object", "null"];
  switch (chance.one(kinds)) {
    case "list":
      return Array.from({ length: Math.floor(chance.next() * 3) }, () => free(chance, depth - 1));
    case "object":
      return Object.fromEntries(chance.some(["x", "y"], 0.6).map((name) => [name, free(chance, depth - 1)]));
    case "null":
      return null;
    default:
      return chance.one<Value>([1, "a", true]);
  }
}

function listOf(chance: Chance, schema: JsonSchema, strict: boolean): Value {
  const items = schema.items!;
  const length = chance.one([0, 1, 2, 2, 3]);
  const made = Array.from({ length }, () => value(chance, items, strict, true));
  const kind = schema["x-kubernetes-list-type"];
  if (kind === "atomic") return made;
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  for (const item of made) if (kind === "map") completeKeys(chance, items, keys, item as ValueObject);
  if (strict ? chance.maybe(0.02) : chance.maybe(0.1)) return made;
  return Object.values(Object.groupBy(made, (item) => identity(items, keys, item))).map((same) => same![0]!);
}

/** Gives an entry the key fields it lacks; one of two may stay away. */
function completeKeys(chance: Chance, items: JsonSchema, keys: readonly string[], item: ValueObject): void {
  for (const [i, key] of keys.entries()) {
    const may = keys.length > 1 && i > 0 && chance.maybe(0.4);
    if (may) delete item[key];
    else if ((item[key] ?? null) === null) item[key] = value(chance, items.properties![key]!, true, true);
  }
}

const identity = (items: JsonSchema, keys: readonly string[], item: Value): string =>
  JSON.stringify(
    keys.length === 0
      ? item
      : keys.map((key) => (item as ValueObject)[key] ?? (items.properties![key]!.default as Value) ?? null),
  );

function objectOf(chance: Chance, schema: JsonSchema, strict: boolean): Value {
  const made: ValueObject = {};
  const items = schema.additionalProperties as JsonSchema | undefined;
  const names = schema.properties ? Object.keys(schema.properties) : ["x", "y", "constructor", "__proto__"];
  for (const name of chance.some(names, schema.properties ? 0.6 : 0.4)) {
    setMember(made, name, value(chance, schema.properties?.[name] ?? items!, strict, false));
  }
  if (schema["x-kubernetes-preserve-unknown-fields"] && chance.maybe(0.3)) made["extra"] = free(chance, 1);
  return made;
}

/** A value much like `before`: some members new, some removed, lists sometimes shuffled. */
function vary(chance: Chance, schema: JsonSchema, before: Value, strict: boolean): Value {
  if (typeof before !== "object" || before === null || chance.maybe(0.15)) return value(chance, schema, strict, true);
  if (Array.isArray(before)) return varyList(chance, schema, before, strict);
  const varied: ValueObject = {};
  const items = schema.additionalProperties as JsonSchema | undefined;
  for (const key of Object.keys(before)) {
    if (chance.maybe(0.15)) continue;
    const type = schema.properties?.[key] ?? items ?? {};
    setMember(varied, key, chance.maybe(0.6) ? before[key]! : vary(chance, type, before[key]!, strict));
  }
  for (const key of Object.keys(schema.properties ?? {})) {
    if (!Object.hasOwn(varied, key) && chance.maybe(0.2)) {
      varied[key] = value(chance, schema.properties![key]!, strict, false);
    }
  }
  return varied;
}

function varyList(chance: Chance, schema: JsonSchema, before: readonly Value[], strict: boolean): Value {
  const items = schema.items;
  if (items === undefined || schema["x-kubernetes-list-type"] === "atomic") return [...before];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const fresh = listOf(chance, schema, strict) as Value[];
  const kept = chance.some(before, 0.7).map((item) => {
    if (keys.length === 0 || chance.maybe(0.5)) return item;
    const varied = vary(chance, items, item, strict);
    for (const key of keys) {
      if (Object.hasOwn(item as ValueObject, key)) (varied as ValueObject)[key] = (item as ValueObject)[key]!;
      else delete (varied as ValueObject)[key];
    }
    return varied;
  });
  const all = [...kept, ...chance.some(fresh, 0.4)];
  const mixed = chance.maybe(0.3) ? chance.shuffled(all) : all;
  if (!strict && chance.maybe(0.1)) return mixed;
  return Object.values(Object.groupBy(mixed, (item) => identity(items, keys, item))).map((same) => same![0]!);
}
