/**
 * Objects that fit a schema, with members drawn by chance.
 *
 * @module
 */
import { hotValue } from "./values.ts";
import type { Draw } from "../../src/util/testing/draw.ts";

/** What is read of a schema to make objects that fit it. */
export interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
}

const BY_FORMAT: Readonly<Record<string, readonly unknown[]>> = {
  "date-time": ["2026-01-02T03:04:05Z"],
  "micro-time": ["2026-01-02T03:04:05.000006Z"],
  byte: ["", "AAAA", "aGVsbG8="],
  quantity: ["1Gi", "500m", 2, "0", "1e3"],
  "int-or-string": [80, "http", "25%"],
};
const TEXTS = [
  "a",
  "web",
  "example.com/a",
  "10.0.0.1",
  "fd00::1",
  "/data",
  "Always",
  "ReadWriteOnce",
  "kubernetes.io/hostname",
  "In",
  "TCP",
];
const MOST_DEPTH = 7;

/** A value that fits a schema, in so far as the schema can tell. */
export function sample(draw: Draw, schema: unknown, depth = 0): unknown {
  const { type, format, enum: values, items, properties, additionalProperties } = schema as Schema;
  if (depth > 0 && draw.chance(0.01)) return hotValue(draw);
  if (values) return draw.pick(values);
  if (format !== undefined && BY_FORMAT[format]) return draw.pick(BY_FORMAT[format]);
  if (type === "boolean") return draw.chance(0.5);
  if (type === "integer" || type === "number") return draw.pick([0, 1, 2, 80, 443, 1000, 65_536]);
  if (type === "string") return draw.pick(TEXTS);
  if (type === "array") return draw.many(depth > MOST_DEPTH ? 0 : draw.small(4), () => sample(draw, items!, depth + 1));
  if (properties) return struct(draw, schema as Schema, depth);
  if (!additionalProperties || depth > MOST_DEPTH) return {};
  const member = (i: number): [string, unknown] => [`key-${i}`, sample(draw, additionalProperties, depth + 1)];
  return Object.fromEntries(draw.many(draw.small(5), member));
}

function struct(draw: Draw, { properties = {}, required = [] }: Schema, depth: number): object {
  const chosen = Object.entries(properties).filter(
    ([name]) => required.includes(name) || (depth < MOST_DEPTH && draw.chance(depth === 0 ? 0.8 : 0.25)),
  );
  return Object.fromEntries(chosen.map(([name, member]) => [name, sample(draw, member, depth + 1)]));
}
