/**
 * What a YAML scalar means: the rules of YAML 1.1 as Go's decoder, and so kubectl and the real server, apply them.
 *
 * They are neither those of YAML 1.1 to the letter nor those of 1.2: `yes`, `on` and `y` are booleans, `0644` and `0o644`
 * are octal, digits may be grouped by underscores, times and sexagesimals are text (LIM-15, AMB-39).
 *
 * @module
 */

import { DecodeError } from "./decode-error.ts";
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
const INT64_MIN = -(2n ** 63n);
const UINT64_MAX = 2n ** 64n - 1n;

/** A scalar that YAML calls a number but JSON cannot write: `.inf`, `-.inf`, `.nan`. */
export function isNoJsonNumber(value: Value): boolean {
  return typeof value === "number" && !Number.isFinite(value);
}

/** The value of a plain (unquoted, untagged) scalar; infinities and NaN are given as such. */
export function resolvePlain(text: string): Value {
  const first = text.charCodeAt(0);
  const isDigit = first >= 0x30 && first <= 0x39;
  // Most plain scalars are words: anything that does not begin like one of the special forms is text.
  if (!isDigit && !"+-.~yYnNtTfFoO".includes(text.charAt(0))) return text;
  const word = WORDS.get(text);
  if (word !== undefined) return word;
  if (isDigit || first === 0x2b || first === 0x2d) return resolveNumber(text.replaceAll("_", "")) ?? text;
  if (first === 0x2e && FLOAT.test(text)) return finite(text) ?? text;
  return text;
}

function resolveNumber(text: string): Value | undefined {
  const match = INTEGER.exec(text);
  if (match) {
    const [, sign, hex, octal, binary, decimal] = match;
    const size = sizeOf(hex ?? octal ?? binary ?? decimal!, hex ? "0x" : octal ? "0o" : binary ? "0b" : "");
    const value = sign === "-" ? -size : size;
    const fits = value >= INT64_MIN && value <= UINT64_MAX && (sign !== "+" || value < -INT64_MIN);
    if (fits)
      return Number.isSafeInteger(Number(value)) ? Number(value) : (new JsonNumber(String(value)) as unknown as Value);
  }
  return FLOAT.test(text) ? finite(text) : undefined;
}

/** More digits than an integer of 64 bits has in any base. */
const MOST_DIGITS = 64;

/** What digits stand for; of more than fit, something that fits as little: to make it takes a time that grows with their square. */
function sizeOf(digits: string, prefix: string): bigint {
  let zeros = 0;
  while (digits[zeros] === "0" && zeros < digits.length - 1) zeros++;
  return digits.length - zeros > MOST_DIGITS ? UINT64_MAX + 1n : BigInt(prefix + digits.slice(zeros));
}

/** The double of a float; one beyond the doubles is no number to Go, and so is text. */
function finite(text: string): number | undefined {
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

/**
 * The value of a scalar with a tag: the standard scalar tags are obeyed, `!!str`, `!` and tags that nobody knows make text.
 *
 * @throws DecodeError when the text is not what its tag says
 */
export function resolveTagged(tag: string, text: string): Value {
  const name = tag.startsWith("!!") ? tag.slice(2) : /^!<tag:yaml\.org,2002:(.*)>$/.exec(tag)?.[1];
  switch (name) {
    case "null":
    case "bool":
    case "int":
    case "float":
      return ofType(name, text);
    case "binary":
      return ofBase64(text);
    default:
      return text;
  }
}

function ofType(name: "null" | "bool" | "int" | "float", text: string): Value {
  const value = resolvePlain(text);
  const isNumber = typeof value === "number" || value instanceof JsonNumber;
  const isInteger = isNumber && INTEGER.test(text.replaceAll("_", ""));
  const fits = { null: value === null, bool: typeof value === "boolean", int: isInteger, float: isNumber };
  if (fits[name]) return value;
  throw new DecodeError("malformed", `Expected a YAML scalar that is tagged !!${name} to be one, found another text`);
}

function ofBase64(text: string): string {
  const bytes = Buffer.from(text, "base64");
  const given = text.replaceAll(/[\r\n]/g, "");
  if (bytes.toString("base64") === given) return bytes.toString("utf8");
  throw new DecodeError("malformed", "Expected a YAML scalar that is tagged !!binary to be padded base64");
}

/**
 * The member name that a key stands for: `1` is "1", `yes` is "true", `1.50` is "1.5"; lists, maps and null name nothing.
 *
 * @throws DecodeError for a key that cannot be a member name
 */
export function keyText(key: Value): string {
  if (typeof key === "string") return key;
  if (typeof key === "boolean") return String(key);
  if (key instanceof JsonNumber) return key.text;
  if (typeof key !== "number") {
    const found = key === null ? "null" : Array.isArray(key) ? "a list" : "a map";
    throw new DecodeError("malformed", `Expected a YAML key to be a scalar other than null, found ${found}`);
  }
  if (Number.isFinite(key)) return Number.isInteger(key) ? String(key) : shortFloat(key);
  return Number.isNaN(key) ? ".nan" : key > 0 ? "+.inf" : "-.inf";
}

/** The shortest text of a single-precision float, which is how the reference turns float keys into names. */
function shortFloat(value: number): string {
  const single = Math.fround(value);
  for (let digits = 1; digits < 9; digits++) {
    const text = single.toPrecision(digits);
    if (Math.fround(Number(text)) === single) return String(Number(text));
  }
  return String(Number(single.toPrecision(9)));
}
