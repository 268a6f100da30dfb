/**
 * Mistakes that people make in objects: a change or two that the schema knows the place of.
 *
 * @module
 */
import type { Draw } from "../../../src/util/testing/draw.ts";
import type { Pool } from "./pool.ts";

/** What is read of a schema. */
export interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
}

const EDGES: Readonly<Record<string, readonly unknown[]>> = {
  boolean: [true, false],
  integer: [-1, 0, 1, 2, 100, 101, 65_535, 65_536, 2 ** 31 - 1, 3_000_000],
  number: [0, 1.5, -1],
  string: [
    "", "a", "A", "a_b", "a.b", "-a", "a/b", "/a", "a b", "../a", "1", "0", "100%", "x".repeat(64), "x".repeat(254), "10.0.0.1", "::1", "10.0.0.0/8", "example.com/a", "*", "*.example.com",
    "metadata.name", "$(A)", "Always", "Never", "None", "Unknown", "http://a", "é", "a.b/c.d",
  ],
  "date-time": ["2026-01-02T03:04:05Z", "1970-01-01T00:00:00Z"],
  "micro-time": ["2026-01-02T03:04:05.000006Z"],
  byte: ["", "AAAA"],
  quantity: ["0", "1", "-1", "100m", "1.5", "1Gi", "0.5m", "2e3", "1500M", "10.4"],
  "int-or-string": [0, 1, -1, 80, 70_000, "http", "25%", "100%", "101%", "1.5%", "", "-5%", "0%"],
}; // prettier-ignore
const KEYS = [
  "a",
  "A",
  "a_b",
  "",
  "-a",
  "x".repeat(64),
  "example.com/a",
  "a/b/c",
  "cpu",
  "memory",
  "pods",
  "example.com/gpu",
  "hugepages-2Mi",
  "kubernetes.io/a",
];
const MOST_DEPTH = 9;

/** Draws values for a schema and changes those that are there. */
export class Changer {
  readonly #draw: Draw;
  readonly #pool: Pool;

  constructor(draw: Draw, pool: Pool) {
    this.#draw = draw;
    this.#pool = pool;
  }

  /** A value for a member called `name`: mostly one that has been seen there. */
  value(schema: Schema, name: string, depth = 0): unknown {
    const draw = this.#draw;
    const seen = this.#pool.of(name, schema);
    if (seen.length > 0 && draw.chance(0.6)) return structuredClone(draw.pick(seen));
    const { type = "", format = "", properties, items, additionalProperties } = schema;
    if (schema.enum && draw.chance(0.8)) return draw.pick(schema.enum);
    const edges = EDGES[format] ?? EDGES[type];
    if (edges) return draw.pick(edges);
    if (depth > MOST_DEPTH) return type === "array" ? [] : {};
    if (type === "array") return draw.many(draw.small(3), () => this.value(items!, name, depth + 1));
    if (properties) {
      const names = Object.keys(properties).filter(() => draw.chance(0.3));
      return Object.fromEntries(names.map((member) => [member, this.value(properties[member]!, member, depth + 1)]));
    }
    if (!additionalProperties) return {};
    const members = draw.many(draw.small(3), () => [
      draw.pick(KEYS),
      this.value(additionalProperties, name, depth + 1),
    ]);
    return Object.fromEntries(members as [string, unknown][]);
  }

  /** Changes one place of a value; the members called `kept` stay as they are. */
  change(schema: Schema, value: unknown, name: string, kept: readonly string[] = []): unknown {
    const draw = this.#draw;
    if (Array.isArray(value)) return this.#list(schema, value, name);
    if (typeof value !== "object" || value === null) return this.value(schema, name);
    const object = value as Record<string, unknown>;
    const { properties, additionalProperties } = schema;
    const present = Object.keys(object).filter((key) => !kept.includes(key));
    const inner = present.filter((key) => typeof object[key] === "object" && object[key] !== null);
    if (inner.length > 0 && draw.chance(0.75)) {
      const key = draw.pick(inner);
      const below = properties?.[key] ?? additionalProperties;
      if (below) return { ...object, [key]: this.change(below, object[key], key) };
    }
    const absent = Object.keys(properties ?? {}).filter((key) => !(key in object) && !kept.includes(key));
    return draw.one<unknown>(
      () => without(object, present.length > 0 ? draw.pick(present) : ""),
      () => this.#with(object, present, properties, additionalProperties),
      () => this.#with(object, absent.length > 0 ? absent : present, properties, additionalProperties),
      () => this.#with(object, absent.length > 0 ? absent : present, properties, additionalProperties),
      () => (present.length > 0 && draw.chance(0.3) ? { ...object, [draw.pick(present)]: null } : object),
    );
  }

  #with(
    object: object,
    keys: readonly string[],
    properties: Schema["properties"],
    members: Schema | undefined,
  ): object {
    if (!properties) return members ? { ...object, [this.#draw.pick(KEYS)]: this.value(members, "") } : object;
    if (keys.length === 0) return object;
    const key = this.#draw.pick(keys);
    return properties[key] ? { ...object, [key]: this.value(properties[key], key) } : object;
  }

  #list(schema: Schema, list: readonly unknown[], name: string): unknown {
    const draw = this.#draw;
    const { items } = schema;
    if (!items) return list;
    const at = draw.below(list.length);
    if (list.length > 0 && draw.chance(0.7)) return list.with(at, this.change(items, list[at], name));
    return draw.one(
      () => [...list, this.value(items, name)],
      () => (list.length > 0 ? [...list, structuredClone(list[at])] : list),
      () => (list.length > 0 ? [...list, this.change(items, structuredClone(list[at]), name)] : list),
      () => list.toSpliced(at, 1),
    );
  }
}

const without = (object: object, key: string): object =>
  Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));
