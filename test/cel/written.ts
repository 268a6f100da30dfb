/**
 * Values and answers in the form of the recordings.
 *
 * @module
 */
import { isDeepStrictEqual } from "node:util";
import { Quantity, SemanticVersion } from "../../src/cel/library/quantities.ts";
import { Address, Network } from "../../src/cel/library/addresses.ts";
import { Format } from "../../src/cel/library/formats.ts";
import { doubleText } from "../../src/cel/library/standard.ts";
import { Url } from "../../src/cel/library/urls.ts";
import { timestampText } from "../../src/cel/times.ts";
import {
  Dict,
  Duration,
  List,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
  typeNameOf,
} from "../../src/cel/values.ts";

/** A value as recordings write it. */
export function written(value: Value): unknown {
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "bigint") return { int: String(value) };
  if (typeof value === "number") return { double: doubleText(value) };
  if (value === null) return { null: true };
  if (value instanceof Uint) return { uint: String(value.value) };
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString("base64") };
  if (value instanceof Timestamp) return { timestamp: timestampText(new Timestamp(value.nanos)) };
  if (value instanceof Duration) return { duration: String(value.nanos) };
  if (value instanceof List) return [...value].map(written);
  if (value instanceof Dict) return { map: [...value.keys()].map((key) => [written(key), written(value.get(key)!)]) };
  if (value instanceof Optional) return value.value === undefined ? { none: true } : { optional: written(value.value) };
  if (value instanceof TypeValue) return { type: value.name };
  if (value instanceof Quantity) return { quantity: value.text };
  if (value instanceof SemanticVersion) return { semver: value.text };
  if (value instanceof Address) return { ip: value.text };
  if (value instanceof Network) return { cidr: value.text };
  if (value instanceof Url) return { url: value.text };
  if (value instanceof Format) return { format: value.name };
  return { opaque: typeNameOf(value) };
}

/** Whether a part of an answer is equal to the recorded one. */
export function sameAnswer(part: string, want: unknown, got: unknown): boolean {
  if (part === "min" || part === "max" || part === "cost" || part === "spent") return String(want) === String(got);
  if (part === "compile") return sameIssue(want as string | undefined, got as string | undefined);
  if (part === "value") return isDeepStrictEqual(sorted(want), sorted(got));
  return isDeepStrictEqual(plain(want), plain(got));
}

const plain = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));

/** Maps have no order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, one]) => {
    if (key === "map" && Array.isArray(one)) {
      return [
        key,
        (one.map(sorted) as unknown[]).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
      ] as const;
    }
    if (key === "double" || key === "duration")
      return [key, String(Number(String(one).replace("Inf", "Infinity")))] as const;
    return [key, sorted(one)] as const;
  });
  return Object.fromEntries(entries);
}

/** Of syntax errors the place counts: their words are those of a parser generator. */
function sameIssue(want: string | undefined, got: string | undefined): boolean {
  if (want === undefined || got === undefined || want === got) return want === got;
  const isSyntax = want.includes("Syntax error:");
  const place = (text: string): string | undefined => /<input>:\d+:\d+/.exec(text)?.[0];
  return isSyntax && place(want) === place(got);
}
