/**
 * Results of expressions as JavaScript values, and as expressions.
 *
 * @module
 */
import { valueText } from "./library/format-text.ts";
import { durationText, timestampText } from "./times.ts";
import {
  EmptyMessage,
  Dict,
  Duration,
  List,
  Opaque,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from "./values.ts";

/**
 * The JavaScript value of a result: bigint for integers, number for doubles, Uint8Array, arrays, objects by the text of their
 * keys, undefined or the value of an optional; strings for timestamps, durations, types and values of libraries.
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

/** A value as an expression: `[1, 2]`, `{"a":duration("1s")}`, `quantity("1")`. */
export function writtenValue(value: Value): string {
  if (value instanceof Optional) {
    return value.value === undefined ? "optional.none()" : `optional.of(${writtenValue(value.value)})`;
  }
  if (value instanceof EmptyMessage) return value.text;
  if (value instanceof Opaque)
    return `${value.typeName.split(".").at(-1)!.toLowerCase()}(${JSON.stringify(value.text)})`;
  if (value instanceof List) return `[${[...value].map(writtenValue).join(", ")}]`;
  if (value instanceof Dict) {
    return `{${[...value.keys()].map((key) => `${writtenValue(key)}: ${writtenValue(value.get(key)!)}`).join(", ")}}`;
  }
  if (typeof value === "number" && Number.isInteger(value)) return value.toFixed(1);
  return valueText(value, typeof value !== "number") ?? "";
}
