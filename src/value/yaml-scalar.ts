/**
 * The values of YAML scalars, by the rules of Go's decoder, and so of kubectl and kube-apiserver.
 *
 * They are not exactly those of YAML 1.1 or 1.2: `yes`, `on` and `y` are booleans, `0644` and `0o644` are octal, underscores
 * may group digits, times and sexagesimals are text (LIM-15, AMB-39).
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { daysOf } from "../util/text-formats.ts";
import { decodeUtf8 } from "./utf8.ts";
import { JsonNumber, type Value } from "./value.ts";

const WORDS: ReadonlyMap<string, Value> = new Map<string, Value>([
  ...spellings(["", "~"], null),
  ...spellings(["null", "Null", "NULL"], null),
  ...spellings(["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"], true),
  ...spellings(["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"], false),
  ...spellings([".nan", ".NaN", ".NAN"], Number.NaN),
  ...spellings([".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"], Infinity),
  ...spellings(["-.inf", "-.Inf", "-.INF"], -Infinity),
]);

function spellings(words: string[], value: Value): [string, Value][] {
  return words.map((word) => [word, value]);
}

const INTEGER = /^([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[oO]?([0-7]+)|0[bB]([01]+)|(0|[1-9][0-9]*))$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
/** Go also parses a number with a sign after `0b`. */
const SIGNED_BINARY = /^0b[-+][01]{1,63}$/;
const INT64_MIN = -(2n ** 63n);
const UINT64_MAX = 2n ** 64n - 1n;

const STANDARD = "tag:yaml.org,2002:";

/** The tag of a merge key. */
export const MERGE_TAG = `${STANDARD}merge`;

/** Whether a value is a number of YAML that JSON does not have: `.inf`, `-.inf`, `.nan`. */
export function isNoJsonNumber(value: Value): boolean {
  return typeof value === "number" && !Number.isFinite(value);
}

/** Returns the value of a plain (unquoted, untagged) scalar, which may be an infinity or NaN. */
export function resolvePlain(text: string): Value {
  const first = text.charCodeAt(0);
  const isDigit = first >= 0x30 && first <= 0x39;
  // Most plain scalars are words: a scalar without the first character of a special form is text.
  if (!isDigit && !"+-.~yYnNtTfFoO".includes(text.charAt(0))) return text;
  const word = WORDS.get(text);
  if (word !== undefined) return word;
  if (isDigit || first === 0x2b || first === 0x2d) return resolveNumber(text.replaceAll("_", "")) ?? text;
  if (first === 0x2e && FLOAT.test(text)) return finite(text) ?? text;
  return text;
}

function resolveNumber(text: string): Value | undefined {
  const integer = integerOf(text);
  if (integer !== undefined) return integer;
  return FLOAT.test(text) ? finite(text) : undefined;
}

/** The integer of 64 bits of a text without underscores. */
function integerOf(text: string): Value | undefined {
  const match = INTEGER.exec(text);
  if (!match)
    return SIGNED_BINARY.test(text) ? plainOf(BigInt(text[2] + "1") * BigInt(`0b${text.slice(3)}`)) : undefined;
  const [, sign, hex, octal, binary, decimal] = match;
  const size = sizeOf(hex ?? octal ?? binary ?? decimal ?? "0", hex ? "0x" : octal ? "0o" : binary ? "0b" : "");
  const value = sign === "-" ? -size : size;
  const fits = value >= INT64_MIN && value <= UINT64_MAX && (sign !== "+" || value < -INT64_MIN);
  return fits ? plainOf(value) : undefined;
}

const plainOf = (value: bigint): Value =>
  Number.isSafeInteger(Number(value)) ? Number(value) : (new JsonNumber(String(value)) as unknown as Value);

/** The largest number of digits of an integer of 64 bits in any base. */
const MAX_DIGITS = 64;

/** The value of digits; for too many, any value that is too large, because the conversion takes quadratic time. */
function sizeOf(digits: string, prefix: string): bigint {
  let zeros = 0;
  while (digits[zeros] === "0" && zeros < digits.length - 1) zeros++;
  return digits.length - zeros > MAX_DIGITS ? UINT64_MAX + 1n : BigInt(prefix + digits.slice(zeros));
}

/** The double of a float; undefined beyond the doubles, which is text in Go. */
function finite(text: string): number | undefined {
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

const SCALARS = ["null", "bool", "int", "float"] as const;
type ScalarTag = (typeof SCALARS)[number];

/**
 * Returns the value of a scalar by its full tag: the type of a standard scalar tag; text for `!!str`, `!` and unknown tags.
 *
 * @param fail called with the message when the text is not valid for its tag
 */
export function resolveTagged(tag: string, text: string, fail: (problem: string) => never): Value {
  const name = tag.startsWith(STANDARD) ? tag.slice(STANDARD.length) : "";
  const scalar = SCALARS.find((one) => one === name);
  if (scalar) return ofType(scalar, text, fail);
  if (name === "binary") return ofBase64(text, fail);
  if (name === "timestamp" && !isTimestamp(text)) fail(`cannot decode !!${typeOf(text)} as a !!timestamp`);
  return text;
}

function ofType(name: ScalarTag, text: string, fail: (problem: string) => never): Value {
  const value = resolvePlain(text);
  const found = typeOf(text);
  const fits = name === found || (name === "float" && found === "int" && fitsInt64(value));
  return fits ? value : fail(`cannot decode !!${found} as a !!${name}`);
}

/** The tag of a plain scalar. */
function typeOf(text: string): ScalarTag | "str" {
  const value = resolvePlain(text);
  if (value === null) return "null";
  if (typeof value === "boolean") return "bool";
  if (typeof value !== "number" && !(value instanceof JsonNumber)) return "str";
  return isInteger(text) ? "int" : "float";
}

const isInteger = (text: string): boolean => integerOf(text.replaceAll("_", "")) !== undefined;
const fitsInt64 = (value: Value): boolean =>
  !(value instanceof JsonNumber) || (value.integer ?? UINT64_MAX) < -INT64_MIN;

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

function ofBase64(text: string, fail: (problem: string) => never): string {
  const base64 = text.replaceAll(/[\r\n]/g, "");
  const { length } = base64;
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  if (length % 4 !== 0 || padding === length || !BASE64.test(base64)) {
    if (length > 0) fail("!!binary value contains invalid base64 data");
  }
  return decodeUtf8(Buffer.from(base64, "base64"), true);
}

const TIMESTAMP =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:(?:[Tt](\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?(?:Z|[-+](\d\d):(\d\d)))| +(\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?)?$/;

/** Returns a number as Go's encoder of YAML writes it. */
export const numberText = (value: number): string =>
  Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? String(value) : goFloat(value.toExponential());

/** A sexagesimal number, which some decoders of YAML 1.1 accept. */
const SEXAGESIMAL = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;

/** Whether some decoder of YAML 1.1 does not read a plain text as a text. */
export const needsQuotes = (text: string): boolean =>
  typeof resolvePlain(text) !== "string" || text === "<<" || isTimestamp(text) || SEXAGESIMAL.test(text);

/** Whether a text is a date or a time in a form that Go's decoder accepts. */
function isTimestamp(text: string): boolean {
  const match = TIMESTAMP.exec(text);
  if (!match) return false;
  const part = (index: number): number => Number(match[index] ?? 0);
  const [month, day] = [part(2), part(3)];
  const hours = part(4) + part(9);
  const minutes = part(5) + part(10);
  const seconds = part(6) + part(11);
  if (month < 1 || month > 12 || day < 1 || day > daysOf(part(1), month)) return false;
  return hours < 24 && minutes < 60 && seconds < 60 && part(7) <= 24 && part(8) < 60;
}

/** The member name of a key. */
export interface KeyName {
  readonly name: string;
  /** The key as Go prints it; undefined where that is the quoted name. */
  readonly shown: string | undefined;
}

/**
 * Returns the member name of a key that is no text: `1` is "1", `yes` is "true", `1.50` is "1.5"; undefined for an invalid
 * key, such as null and integers beyond 63 bits.
 */
export function keyName(key: Value, text: string, tag: string | undefined): KeyName | undefined {
  if (typeof key === "boolean") return { name: String(key), shown: String(key) };
  if (key instanceof JsonNumber && tag === undefined)
    return fitsInt64(key) ? { name: key.text, shown: key.text } : undefined;
  const isNumber = typeof key === "number" || key instanceof JsonNumber;
  if (!isNumber) return undefined;
  if (tag !== `${STANDARD}float` && isInteger(text)) {
    if (!fitsInt64(key)) return undefined;
    const name = key instanceof JsonNumber ? key.text : String(key + 0);
    return { name, shown: name };
  }
  const value = Number(key);
  const name = goFloat(singleDigits(value));
  return { name: INFINITE.get(name) ?? name, shown: goFloat(value.toExponential()) };
}

const INFINITE: ReadonlyMap<string, string> = new Map([
  ["+Inf", ".inf"],
  ["-Inf", "-.inf"],
  ["NaN", ".nan"],
]);

/** The shortest text of a number in single precision, with an exponent. */
function singleDigits(value: number): string {
  const single = Math.fround(value);
  for (let digits = 0; digits < 8; digits++) {
    const text = single.toExponential(digits);
    if (Math.fround(Number(text)) === single) return text;
  }
  return single.toExponential(8);
}

/** A number in Go's format `%g`: with an exponent from a million on, and below 0.0001. */
function goFloat(text: string): string {
  const value = Number(text);
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
  const power = Number(text.slice(text.indexOf("e") + 1));
  if (power >= -4 && power < 6) return Object.is(value, -0) ? "-0" : String(value);
  return `${text.slice(0, text.indexOf("e"))}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}
