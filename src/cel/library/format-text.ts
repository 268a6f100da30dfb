/**
 * `string.format` (CEL-15).
 *
 * @module
 */
import type { Expr } from "../ast.ts";
import { durationText, timestampText } from "../times.ts";
import { type Type, typeText } from "../types.ts";
import {
  Dict,
  Duration,
  Failure,
  List,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
  compareTexts,
  typeNameOf,
} from "../values.ts";
import { doubleText } from "./standard.ts";

/** A formatting clause, which a value replaces. */
interface Clause {
  readonly verb: string;
  readonly precision: number | undefined;
}

/** Splits a format into texts and the clauses between them. */
function clausesOf(format: string): { readonly texts: string[]; readonly clauses: Clause[] } | Failure {
  const texts: string[] = [""];
  const clauses: Clause[] = [];
  for (let i = 0; i < format.length; i++) {
    if (format[i] !== "%") {
      texts[texts.length - 1] = texts.at(-1)! + format[i]!;
      continue;
    }
    const match = /^%(?:\.(\d+))?/.exec(format.slice(i))!;
    const verb = format[i + match[0].length];
    if (verb === undefined) return new Failure("unexpected end of string");
    if (verb === "%" && match[1] === undefined) {
      texts[texts.length - 1] = `${texts.at(-1)!}%`;
      i++;
      continue;
    }
    if (!"sdfexXob".includes(verb))
      return new Failure(`could not parse formatting clause: unrecognized formatting clause "${verb}"`);
    clauses.push({ verb, precision: match[1] === undefined ? undefined : Number(match[1]) });
    texts.push("");
    i += match[0].length;
  }
  return { texts, clauses };
}

const KINDS: Readonly<
  Record<string, { readonly name: string; readonly takes: string; readonly types: readonly string[] }>
> = {
  s: {
    name: "string",
    takes: "strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps",
    types: ["string", "bool", "bytes", "int", "uint", "double", "map", "list", "type", "duration", "timestamp", "null"],
  },
  d: { name: "decimal", takes: "integers", types: ["int", "uint"] },
  f: { name: "fixed-point", takes: "doubles", types: ["double"] },
  e: { name: "scientific", takes: "doubles", types: ["double"] },
  x: { name: "hex", takes: "integers, byte buffers, and strings", types: ["int", "uint", "string", "bytes"] },
  X: { name: "hex", takes: "integers, byte buffers, and strings", types: ["int", "uint", "string", "bytes"] },
  o: { name: "octal", takes: "integers", types: ["int", "uint"] },
  b: { name: "binary", takes: "integers and bools", types: ["int", "uint", "bool"] },
};

const formatFailure = (verb: string, got: string): string => {
  const { name, takes } = KINDS[verb]!;
  const isWhat = name === "binary" || name === "hex";
  const what = isWhat ? `only ${takes} can be formatted as ${name}` : `${name} clause can only be used on ${takes}`;
  return `error during formatting: ${what}, was given ${got}`;
};

/** Checks a literal format and the literal list of its arguments; undefined where they are valid. */
export function checkFormat(
  format: string,
  args: readonly Expr[],
  typeOf: (expr: Expr) => Type,
): { readonly element: Expr | undefined; readonly message: string } | undefined {
  const parsed = clausesOf(format);
  if (parsed instanceof Failure) return { element: undefined, message: parsed.message };
  for (const [i, { verb }] of parsed.clauses.entries()) {
    const element = args[i];
    if (!element) return { element: undefined, message: `index ${i} out of range` };
    const type = typeOf(element);
    if (["dyn", "param", "error"].includes(type.kind)) continue;
    // NaN and infinities have texts for every verb.
    if (!KINDS[verb]!.types.includes(type.kind)) return { element, message: formatFailure(verb, typeText(type)) };
  }
  const { length } = parsed.clauses;
  if (args.length <= length) return undefined;
  const message = `too many arguments supplied to string.format (expected ${length}, got ${args.length})`;
  return { element: undefined, message };
}

/** Formats arguments. */
export function formatText(format: string, args: List): Value {
  const parsed = clausesOf(format);
  if (parsed instanceof Failure) return parsed;
  let text = parsed.texts[0]!;
  for (const [i, clause] of parsed.clauses.entries()) {
    if (i >= args.size) return new Failure(`index ${i} out of range`);
    const part = partText(clause, args.at(i));
    if (part instanceof Failure) return part;
    text += part + parsed.texts[i + 1]!;
  }
  return text;
}

const fail = (verb: string, value: Value): Failure => new Failure(formatFailure(verb, typeNameOf(value)));

const special = (value: number): string | undefined =>
  Number.isNaN(value) ? "NaN" : Number.isFinite(value) ? undefined : value > 0 ? "Infinity" : "-Infinity";

function partText({ verb, precision }: Clause, value: Value): string | Failure {
  const whole = value instanceof Uint ? value.value : value;
  switch (verb) {
    case "s":
      return valueText(value) ?? fail(verb, value);
    case "d":
      if (typeof value === "number") return special(value) ?? fail(verb, value);
      return typeof whole === "bigint" ? String(whole) : fail(verb, value);
    case "f":
    case "e":
      return floating(verb, value, precision);
    case "o":
      return typeof whole === "bigint" ? whole.toString(8) : fail(verb, value);
    case "b":
      if (typeof value === "boolean") return value ? "1" : "0";
      return typeof whole === "bigint" ? whole.toString(2) : fail(verb, value);
    default:
      return hexText(verb, value, whole);
  }
}

function hexText(verb: string, value: Value, whole: Value): string | Failure {
  const text =
    typeof whole === "bigint"
      ? whole.toString(16)
      : typeof value === "string"
        ? Buffer.from(value).toString("hex")
        : value instanceof Uint8Array
          ? Buffer.from(value).toString("hex")
          : undefined;
  if (text === undefined) return fail(verb, value);
  return verb === "X" ? text.toUpperCase() : text;
}

const UP = "⁰¹²³⁴⁵⁶⁷⁸⁹";

function floating(verb: string, value: Value, precision: number | undefined): string | Failure {
  if (typeof value === "string") {
    const number = { NaN: NaN, Infinity, "-Infinity": -Infinity }[value];
    return number === undefined ? fail(verb, value) : special(number)!;
  }
  if (typeof value !== "number") return fail(verb, value);
  // The number before the verb `e` is a width.
  const width = verb === "e" ? Math.min(precision ?? 6, 1000) : 0;
  if (Number.isNaN(value)) return "NaN".padStart(width);
  if (!Number.isFinite(value)) return (value > 0 ? "∞" : "-∞").padStart(width);
  if (verb === "f") return grouped(fixed(value, Math.min(precision ?? 6, 1000)));
  const [digits, power] = value.toExponential(6).split("e") as [string, string];
  const exponent = power
    .slice(1)
    .padStart(2, "0")
    .replaceAll(/\d/g, (digit) => UP[Number(digit)]!);
  return `${digits}×10${power.startsWith("-") ? "⁻" : ""}${exponent}`.padStart(width);
}

/** A number with commas between thousands, and no minus before 0, as in the locale en-US. */
function grouped(text: string): string {
  const [whole, places] = text.split(".") as [string, string?];
  const digits = whole.startsWith("-") ? whole.slice(1) : whole;
  let out = "";
  for (let end = digits.length; end > 0; end -= 3) out = digits.slice(Math.max(0, end - 3), end) + (out && `,${out}`);
  const sign = whole.startsWith("-") && /[1-9]/.test(text) ? "-" : "";
  return sign + (places === undefined ? out : `${out}.${places}`);
}

/** A number with `precision` decimal places, rounded half to even. */
function fixed(value: number, precision: number): string {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, Math.abs(value));
  const raw = bits.getBigUint64(0);
  const exponent = Number(raw >> 52n) || 1;
  const mantissa = (raw & (2n ** 52n - 1n)) + (raw >> 52n === 0n ? 0n : 2n ** 52n);
  const shift = exponent - 1075;
  const scaled = mantissa * 10n ** BigInt(precision);
  let digits: bigint;
  if (shift >= 0) digits = scaled << BigInt(shift);
  else {
    const unit = 1n << BigInt(-shift);
    const [whole, rest] = [scaled / unit, scaled % unit];
    const isUp = rest * 2n > unit || (rest * 2n === unit && whole % 2n === 1n);
    digits = isUp ? whole + 1n : whole;
  }
  const text = digits.toString().padStart(precision + 1, "0");
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  return precision === 0 ? sign + text : `${sign}${text.slice(0, -precision)}.${text.slice(-precision)}`;
}

/** The text of a value for %s, with `isInner` inside a list or a map; undefined where it has none. */
export function valueText(value: Value, isInner = false): string | undefined {
  if (typeof value === "string") return isInner ? JSON.stringify(value) : value;
  if (typeof value === "boolean") return String(value);
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number") return isInner ? innerDouble(value) : doubleText(value);
  if (value === null) return "null";
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Uint8Array)
    return isInner ? `b${JSON.stringify(Buffer.from(value).toString())}` : Buffer.from(value).toString();
  if (value instanceof Duration) return isInner ? `duration("${durationText(value)}")` : durationText(value);
  if (value instanceof Timestamp) return isInner ? `timestamp("${timestampText(value)}")` : timestampText(value);
  if (value instanceof TypeValue) return value.name;
  if (value instanceof List)
    return bracketed(
      [...value].map((one) => valueText(one, true)),
      "[",
      "]",
    );
  return value instanceof Dict ? dictText(value) : undefined;
}

/** A double in a list or a map: always six decimal places. */
const innerDouble = (value: number): string =>
  Number.isFinite(value) ? fixed(value, 6) : JSON.stringify(Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf");

function dictText(value: Dict): string | undefined {
  const entries = [...value.keys()].map((key): [string | undefined, string | undefined] => [
    valueText(key, true),
    valueText(value.get(key)!, true),
  ]);
  entries.sort(([a = ""], [b = ""]) => compareTexts(a, b));
  return bracketed(
    entries.map(([key, one]) => (key === undefined || one === undefined ? undefined : `${key}:${one}`)),
    "{",
    "}",
  );
}

const bracketed = (parts: readonly (string | undefined)[], open: string, close: string): string | undefined =>
  parts.includes(undefined) ? undefined : `${open}${parts.join(", ")}${close}`;
