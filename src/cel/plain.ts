/**
 * JSON of which nothing is known as expressions see it, and results as programs take them.
 *
 * @module
 */
import { type Value as Json, type ValueObject, asJsonNumber } from "../value/value.ts";
import { valueText } from "./library/format-text.ts";
import { durationText, timestampText } from "./times.ts";
import { Dict, Duration, List, Opaque, Optional, Timestamp, TypeValue, Uint, type Value } from "./values.ts";

/** JSON in place, each value by what it is: whole numbers are integers. */
export function jsonView(json: Json): Value {
  if (typeof json === "number") return Number.isInteger(json) ? BigInt(json) : json;
  if (typeof json !== "object" || json === null) return json;
  if (Array.isArray(json)) return new JsonList(json);
  const number = asJsonNumber(json);
  return number ? (number.integer ?? number.value) : new JsonDict(json as ValueObject);
}

class JsonList extends List {
  readonly #json: readonly Json[];

  constructor(json: readonly Json[]) {
    super();
    this.#json = json;
  }

  get size(): number {
    return this.#json.length;
  }

  at(index: number): Value {
    return jsonView(this.#json[index]!);
  }
}

class JsonDict extends Dict {
  readonly #json: ValueObject;

  constructor(json: ValueObject) {
    super();
    this.#json = json;
  }

  get size(): number {
    return Object.keys(this.#json).length;
  }

  get(key: Value): Value | undefined {
    return typeof key === "string" && Object.hasOwn(this.#json, key) ? jsonView(this.#json[key]!) : undefined;
  }

  keys(): Iterable<Value> {
    return Object.keys(this.#json);
  }
}

/**
 * A value as a program takes it: integers as bigint, other numbers as number, bytes as Uint8Array, lists as arrays, maps
 * and objects as objects by the text of their keys, an optional as what it holds or undefined; times and durations, types,
 * and what libraries make as texts.
 */
export function plainValue(value: Value): unknown {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  if (value instanceof Uint) return value.value;
  if (value instanceof List) return [...value].map(plainValue);
  if (value instanceof Dict) {
    return Object.fromEntries([...value.keys()].map((key) => [String(plainValue(key)), plainValue(value.get(key)!)]));
  }
  if (value instanceof Optional) return value.value === undefined ? undefined : plainValue(value.value);
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof Duration) return durationText(value);
  if (value instanceof TypeValue) return value.name;
  return value instanceof Opaque ? value.text : value.message;
}

/** A value as an expression would write it: `[1, 2]`, `{"a":duration("1s")}`, `quantity("1")`. */
export function writtenValue(value: Value): string {
  if (value instanceof Optional) {
    return value.value === undefined ? "optional.none()" : `optional.of(${writtenValue(value.value)})`;
  }
  if (value instanceof Opaque)
    return `${value.typeName.split(".").at(-1)!.toLowerCase()}(${JSON.stringify(value.text)})`;
  if (value instanceof List) return `[${[...value].map(writtenValue).join(", ")}]`;
  if (value instanceof Dict) {
    return `{${[...value.keys()].map((key) => `${writtenValue(key)}: ${writtenValue(value.get(key)!)}`).join(", ")}}`;
  }
  if (typeof value === "number" && Number.isInteger(value)) return value.toFixed(1);
  return valueText(value, typeof value !== "number") ?? "";
}
