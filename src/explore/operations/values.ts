/**
 * Values that a structural schema accepts: samples, and alternatives to an existing value.
 *
 * @module
 */
import { fits } from "../../schema/structural/validate.ts";
import { propertyOf, type Structural, valuesOf } from "../../schema/structural/schema.ts";
import { equal, isObject, setMember, type Value, type ValueObject } from "../../value/value.ts";
import { textsOf } from "./pattern.ts";

/** Longer texts and lists are not made, although a schema may accept them. */
const MAX_TEXT_LENGTH = 4096;
const MAX_LIST_LENGTH = 16;
const MAX_DEPTH = 20;

/** Samples of the formats of texts. */
const FORMATS: Readonly<Record<string, readonly [string, string]>> = {
  "date-time": ["2030-01-02T03:04:05Z", "2031-01-02T03:04:05Z"],
  datetime: ["2030-01-02T03:04:05Z", "2031-01-02T03:04:05Z"],
  date: ["2030-01-02", "2031-01-02"],
  duration: ["30s", "1h"],
  byte: ["YQ==", "Yg=="],
  email: ["a@example.com", "b@example.com"],
  hostname: ["a.example.com", "b.example.com"],
  uri: ["https://example.com/a", "https://example.com/b"],
  ipv4: ["192.0.2.1", "192.0.2.2"],
  ipv6: ["2001:db8::1", "2001:db8::2"],
  cidr: ["192.0.2.0/24", "198.51.100.0/24"],
  mac: ["02:00:00:00:00:01", "02:00:00:00:00:02"],
  uuid: ["00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"],
  uuid4: ["00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"],
};

/** A value, and its significance: `at its minimum`. */
export interface Candidate {
  readonly value: Value;
  /** Whether it is at a bound of the schema. */
  readonly isBound: boolean;
}

type Schema = Structural & { readonly example?: Value };

/** Returns a value that a schema accepts, with its required members; undefined where none is known. */
export function sampleOf(schema: Schema, depth = 0): Value | undefined {
  if (depth > MAX_DEPTH) return undefined;
  const { example, enum: values = [] } = schema;
  const first = [schema.default, example, ...values].find((value) => value !== undefined && fits(schema, value));
  if (first !== undefined) return first;
  return samplesOf(schema, depth).find((value) => fits(schema, value));
}

function samplesOf(schema: Schema, depth: number): readonly Value[] {
  switch (schema.type) {
    case "object": {
      const value = objectOf(schema, depth);
      return value === undefined ? [] : [value];
    }
    case "array": {
      const value = listOf(schema, depth);
      return value === undefined ? [] : [value];
    }
    case "boolean":
      return [true, false];
    case "integer":
    case "number":
      return numbersOf(schema, 1).map(({ value }) => value);
    case "string":
      return textsFor(schema, "").map(({ value }) => value);
    default:
      return schema["x-kubernetes-int-or-string"] ? [1, "50%"] : [];
  }
}

function objectOf(schema: Structural, depth: number): ValueObject | undefined {
  const object: ValueObject = {};
  for (const name of schema.required ?? []) {
    const below = propertyOf(schema, name);
    const value = below && sampleOf(below, depth + 1);
    if (value === undefined) return undefined;
    setMember(object, name, value);
  }
  const values = valuesOf(schema);
  const missing = (schema.minProperties ?? 0) - Object.keys(object).length;
  if (!values || missing <= 0) return object;
  const value = sampleOf(values, depth + 1);
  if (value === undefined) return undefined;
  for (let i = 0; i < Math.min(missing, MAX_LIST_LENGTH); i++) setMember(object, `key-${i}`, value);
  return object;
}

function listOf(schema: Structural, depth: number): Value[] | undefined {
  const list: Value[] = [];
  while (list.length < Math.min(schema.minItems ?? 0, MAX_LIST_LENGTH)) {
    const item = itemBeside(schema, list, depth + 1);
    if (item === undefined) return undefined;
    list.push(item);
  }
  return list;
}

/** Returns an item that may be added to a list: in a set it is another value, in a map it has other keys. */
export function itemBeside(schema: Structural, list: readonly Value[], depth = 0): Value | undefined {
  const { items } = schema;
  const sample = items && (list.length > 0 && isObject(list[0]) ? list[0] : sampleOf(items, depth));
  if (items === undefined || sample === undefined) return undefined;
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  if (keys.length > 0) return isObject(sample) ? withOtherKeys(items, sample, keys, list) : undefined;
  const isSet = schema["x-kubernetes-list-type"] === "set" || schema.uniqueItems === true;
  if (!isSet) return sample;
  const candidates = [sample, ...valuesBeside(items, list.at(-1) ?? sample).map(({ value }) => value)];
  return candidates.find((value) => !list.some((one) => equal(one, value)));
}

function withOtherKeys(
  items: Structural,
  sample: ValueObject,
  keys: readonly string[],
  list: readonly Value[],
): Value | undefined {
  const keyOf = (item: Value): Value[] => (isObject(item) ? keys.map((key) => item[key] ?? null) : []);
  const isFree = (item: Value): boolean => !list.some((other) => equal(keyOf(other), keyOf(item)));
  for (const key of keys) {
    const schema = propertyOf(items, key);
    const last = list.findLast(isObject)?.[key] ?? sample[key];
    if (!schema || last === undefined) continue;
    const found = valuesBeside(schema, last)
      .map(({ value }): Value => ({ ...sample, [key]: value }))
      .find((item) => isFree(item) && fits(items, item));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns other scalars that a schema accepts in place of one, the most common first; those at bounds come last. */
export function valuesBeside(schema: Schema, current: Value): readonly Candidate[] {
  const usual = (value: Value): Candidate => ({ value, isBound: false });
  const named = [...(schema.enum ?? []), schema.default, schema.example].filter((value) => value !== undefined);
  const candidates = [...named.map(usual), ...(schema.enum ? [] : scalarsBeside(schema, current))];
  const seen: Value[] = [current];
  return candidates.filter(({ value }) => {
    if (seen.some((one) => equal(one, value)) || !fits(schema, value)) return false;
    seen.push(value);
    return true;
  });
}

function scalarsBeside(schema: Schema, current: Value): readonly Candidate[] {
  if (schema["x-kubernetes-int-or-string"]) {
    const other: Value = typeof current === "number" ? current + 1 : 1;
    return [other, "50%", 0].map((value) => ({ value, isBound: false }));
  }
  switch (schema.type) {
    case "boolean":
      return [{ value: current !== true, isBound: false }];
    case "integer":
    case "number":
      return numbersOf(schema, typeof current === "number" ? current : 0);
    case "string":
      return textsFor(schema, typeof current === "string" ? current : "");
    default:
      return [];
  }
}

function numbersOf(schema: Structural, current: number): readonly Candidate[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const step = multipleOf ?? 1;
  const on = (value: number, round: (x: number) => number): number =>
    multipleOf === undefined ? value : round(value / multipleOf) * multipleOf;
  const least =
    minimum === undefined
      ? undefined
      : on(minimum, Math.ceil) + (exclusiveMinimum && on(minimum, Math.ceil) === minimum ? step : 0);
  const most =
    maximum === undefined
      ? undefined
      : on(maximum, Math.floor) - (exclusiveMaximum && on(maximum, Math.floor) === maximum ? step : 0);
  const usual = [on(current, Math.floor) + step, on(current, Math.ceil) - step, current];
  const bounds = [least ?? 0, most].filter((value) => value !== undefined);
  return [
    ...usual.map((value) => ({ value, isBound: bounds.includes(value) })),
    ...bounds.map((value) => ({ value, isBound: true })),
  ];
}

function textsFor(schema: Structural, current: string): readonly Candidate[] {
  const { minLength = 0, maxLength = Infinity, pattern, format } = schema;
  const known = format === undefined ? [] : (FORMATS[format] ?? []);
  const shortened = current.slice(0, Math.max(0, maxLength - 1));
  const usual = [...known, current === "" ? "example" : `${current}-b`, `${shortened}b`, `${shortened}1`];
  const least = current.padEnd(minLength, "a").slice(0, minLength);
  const most = maxLength <= MAX_TEXT_LENGTH ? [(current || "a").padEnd(maxLength, "a").slice(0, maxLength)] : [];
  return [
    ...[...usual, ...(pattern === undefined ? [] : textsOf(pattern))].map((value) => ({ value, isBound: false })),
    ...[least, ...most].map((value) => ({ value, isBound: true })),
  ];
}
