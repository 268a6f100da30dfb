/**
 * Decoders of scalars: their JSON type, their range, and the canonical form of quantities, times and bytes.
 *
 * @module
 */
import type { ScalarType } from "../apply/schema/schema.ts";
import type { Dialect } from "../meta/dialect.ts";
import { canonicalQuantity } from "../meta/quantity.ts";
import { canonicalMicroTime, canonicalTime } from "../meta/time.ts";
import { asJsonNumber } from "../value/value.ts";
import type { DecodeReport } from "./decode-report.ts";

/**
 * Decodes a value that is not null: returns its wire form, which is the same value if it is in wire form already. A value
 * that does not fit is reported and returned. The zero time of Go becomes null.
 */
export type Decode = (value: unknown, report: DecodeReport) => unknown;

/** The decoder of a scalar type. */
export function scalarDecoder(type: ScalarType, dialect: Dialect): Decode {
  switch (type.scalar) {
    case "string":
      return textDecoder(type.format, dialect);
    case "integer":
      return type.format === "int32" ? int32 : int64;
    case "number":
      return number;
    case "boolean":
      return (value, report) => (typeof value === "boolean" ? value : report.mismatch("true or false", value, true));
    case "json":
      return (value) => value;
    case "intOrString":
      return (value, report) => (typeof value === "string" ? value : int32(value, report, "an integer or a string"));
  }
}

function textDecoder(format: string | undefined, dialect: Dialect): Decode {
  switch (format) {
    case "quantity": {
      // Where apply compares texts, a text that typed clients would not change stays as it was sent (DEC-9).
      const keepNearly = !dialect.rules.compareQuantitiesByValue;
      return (value, report) => quantity(value, report, keepNearly);
    }
    case "date-time":
      return (value, report) =>
        canonical(typeof value === "string" ? canonicalTime(value) : undefined, value, report, "an RFC 3339 time");
    case "micro-time": {
      const options = { lenient: dialect.rules.lenientMicroTime };
      const expected = options.lenient ? "an RFC 3339 time" : "an RFC 3339 time with six digits of fraction";
      return (value, report) =>
        canonical(typeof value === "string" ? canonicalMicroTime(value, options) : undefined, value, report, expected);
    }
    case "byte":
      return (value, report) =>
        canonical(canonicalBytes(value), value, report, "padded base64 of the standard alphabet", false);
    default:
      return (value, report) => (typeof value === "string" ? value : report.mismatch("a string", value));
  }
}

/** The canonical form, or the value itself where it has none, which is reported. */
const canonical = (form: unknown, value: unknown, report: DecodeReport, expected: string, shown = true): unknown =>
  form === undefined ? report.mismatch(expected, value, shown) : form;

function quantity(value: unknown, report: DecodeReport, keepNearly: boolean): unknown {
  const sent = asJsonNumber(value)?.text ?? value;
  const fits = typeof sent === "string" || typeof sent === "number";
  return canonical(
    fits ? canonicalQuantity(sent, keepNearly) : undefined,
    value,
    report,
    "a quantity such as 10Gi or 500m",
  );
}

function int32(value: unknown, report: DecodeReport, expected = "an int32"): unknown {
  return typeof value === "number" && (value | 0) === value ? value : report.mismatch(expected, value, true);
}

const MAX_INT64_CHARACTERS = 20;

/** Integers beyond 2^53 keep all of their digits. */
function int64(value: unknown, report: DecodeReport): unknown {
  if (Number.isSafeInteger(value)) return value;
  const sent = asJsonNumber(value);
  const integer = sent && sent.text.length <= MAX_INT64_CHARACTERS ? sent.integer : undefined;
  const fits = integer !== undefined && BigInt.asIntN(64, integer) === integer;
  return fits ? value : report.mismatch("an int64", value, true);
}

function number(value: unknown, report: DecodeReport): unknown {
  const sent = asJsonNumber(value)?.value ?? value;
  return typeof sent === "number" && Number.isFinite(sent) ? sent : report.mismatch("a number", value, true);
}

const ALPHABET = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * Bytes in stored base64, undefined when they are malformed (DEC-13): line breaks, stray bits behind the last byte and lists
 * of numbers are accepted.
 */
function canonicalBytes(value: unknown): string | undefined {
  if (Array.isArray(value)) return bytesOfList(value);
  if (typeof value !== "string") return undefined;
  const text = value.includes("\n") || value.includes("\r") ? withoutBreaks(value) : value;
  if (text.length % 4 !== 0 || !ALPHABET.test(text)) return undefined;
  return strayBits(text) === 0 ? text : Buffer.from(text, "base64").toString("base64");
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const OTHER = 0x3f;

/** A text without its line breaks, of which there may be a million; characters that are no base64 become question marks. */
function withoutBreaks(text: string): string {
  const bytes = Buffer.allocUnsafe(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code !== LINE_FEED && code !== CARRIAGE_RETURN) bytes[length++] = code < 0x80 ? code : OTHER;
  }
  return bytes.toString("latin1", 0, length);
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Bits of the last letter that belong to no byte. */
function strayBits(text: string): number {
  if (!text.endsWith("=")) return 0;
  const two = text.endsWith("==");
  const last = LETTERS.indexOf(text[text.length - (two ? 3 : 2)]!);
  return last & (two ? 15 : 3);
}

function bytesOfList(list: readonly unknown[]): string | undefined {
  const bytes = list.map((byte) => byte ?? 0);
  const fits = (byte: unknown): byte is number => typeof byte === "number" && byte === (byte & 255);
  return bytes.every(fits) ? Buffer.from(bytes).toString("base64") : undefined;
}
