/**
 * Numbers of 64 bits as Go reads them: `strconv.ParseInt`, `ParseUint` and `ParseFloat`. A text is read once, and surplus
 * digits are not converted.
 *
 * @module
 */
import { checkWork } from "./work-limit.ts";
import { endOfDigits, isDigit } from "./scan.ts";

const MAX_DIGITS = 20;

/** The length from which a text may be too long for the event loop (see `work-limit.ts`), and the units of work of a character. */
const LONG = 4096;
const UNITS_PER_CHARACTER = 6;

/** Returns the integer of a text of digits with an optional sign; undefined beyond int64. @throws WorkTooLong */
export function parseGoInt(text: string): bigint | undefined {
  const isNegative = text[0] === "-";
  const size = digitsOf(text, isNegative || text[0] === "+" ? 1 : 0);
  const value = isNegative && size !== undefined ? -size : size;
  return value !== undefined && BigInt.asIntN(64, value) === value ? value : undefined;
}

/** Returns the integer of a text of digits; undefined beyond uint64. @throws WorkTooLong */
export function parseGoUint(text: string): bigint | undefined {
  const value = digitsOf(text, 0);
  return value !== undefined && BigInt.asUintN(64, value) === value ? value : undefined;
}

function digitsOf(text: string, from: number): bigint | undefined {
  if (text.length > LONG) checkWork(text.length);
  if (from === text.length || endOfDigits(text, from) < text.length) return undefined;
  let start = from;
  while (text[start] === "0") start++;
  return text.length - start > MAX_DIGITS ? undefined : BigInt(text.slice(start));
}

/**
 * Returns the double of a text (Go's `strconv.ParseFloat`): decimal, such as `-1.5e3`, `.5` or `1_000.`, hexadecimal, such as
 * `0x1.8p-3`, or `nan`, `inf` and `infinity` in any case. Undefined for any other text, and for a value beyond a double.
 *
 * @throws WorkTooLong
 */
export function parseGoFloat(text: string): number | undefined {
  if (text.length > LONG) checkWork(text.length * UNITS_PER_CHARACTER);
  const isNegative = text[0] === "-";
  const start = isNegative || text[0] === "+" ? 1 : 0;
  const special = SPECIAL.get(text.slice(start, start + MAX_SPECIAL_LENGTH).toLowerCase());
  if (special !== undefined && text.length - start <= MAX_SPECIAL_LENGTH) {
    if (Number.isNaN(special)) return start === 0 ? special : undefined;
    return isNegative ? -special : special;
  }
  const isHex = text[start] === "0" && (text[start + 1] === "x" || text[start + 1] === "X");
  const form = formOf(text, isHex ? start + 2 : start, isHex);
  if (!form) return undefined;
  const value = isHex ? hexOf(text, start + 2, form) : Number(form.hasUnderscores ? text.replaceAll("_", "") : text);
  if (!Number.isFinite(value)) return undefined;
  return isHex && isNegative ? -value : value;
}

const SPECIAL: ReadonlyMap<string, number> = new Map([
  ["nan", Number.NaN],
  ["inf", Infinity],
  ["infinity", Infinity],
]);
const MAX_SPECIAL_LENGTH = "infinity".length;

/** The form of a float. */
interface Form {
  readonly endOfMantissa: number;
  readonly hasUnderscores: boolean;
}

/** The form of the text from an index on, without its sign and `0x`; undefined where it is no float. */
function formOf(text: string, from: number, isHex: boolean): Form | undefined {
  let [digits, points, underscores] = [0, 0, 0];
  let at = from;
  for (; at < text.length; at++) {
    const char = text.charAt(at);
    if (isHex ? isHexDigit(char) : isDigit(char.charCodeAt(0))) digits++;
    else if (char === "." && points === 0) points++;
    else if (char === "_" && isBetweenDigits(text, at, isHex, from)) underscores++;
    else break;
  }
  if (digits === 0) return undefined;
  const endOfMantissa = at;
  const hasExponent = at < text.length && (isHex ? "pP" : "eE").includes(text.charAt(at));
  if (isHex && !hasExponent) return undefined;
  if (hasExponent) {
    at += text[at + 1] === "+" || text[at + 1] === "-" ? 2 : 1;
    if (!isDigit(text.charCodeAt(at))) return undefined;
    for (; at < text.length; at++) {
      if (text[at] === "_" && isBetweenDigits(text, at, isHex, from)) underscores++;
      else if (!isDigit(text.charCodeAt(at))) return undefined;
    }
  }
  return at === text.length ? { endOfMantissa, hasUnderscores: underscores > 0 } : undefined;
}

const isHexDigit = (char: string): boolean => /[\da-fA-F]/.test(char);

/** Go accepts an underscore between two digits, and between `0x` and a digit. */
function isBetweenDigits(text: string, at: number, isHex: boolean, from: number): boolean {
  const isOne = (char: string | undefined): boolean =>
    char !== undefined && (isHex ? isHexDigit(char) : isDigit(char.charCodeAt(0)));
  return (isOne(text[at - 1]) || (isHex && at === from)) && isOne(text[at + 1]);
}

/** The number of digits in base 16 that count; of the others only whether they are zeros. */
const HEX_DIGITS = 16;
/** Larger exponents have the same result as this one. */
const MAX_EXPONENT = 100_000;

/** Rounds a number in base 16 to the nearest double, halves to the even one; Infinity where it is too large. */
function hexOf(text: string, from: number, { endOfMantissa }: Form): number {
  let kept = "";
  let [isInexact, exponent, isBehindPoint] = [false, 0, false];
  for (let at = from; at < endOfMantissa; at++) {
    const char = text.charAt(at);
    if (char === ".") isBehindPoint = true;
    if (char === "." || char === "_") continue;
    if (isBehindPoint) exponent -= 4;
    if (kept.length === 0 && char === "0") continue;
    if (kept.length < HEX_DIGITS) kept += char;
    else {
      exponent += 4;
      if (char !== "0") isInexact = true;
    }
  }
  if (kept === "") return 0;
  const power = Number(text.slice(endOfMantissa + 1).replaceAll("_", ""));
  const within = Math.max(-MAX_EXPONENT, Math.min(MAX_EXPONENT, power));
  return rounded(BigInt(`0x${kept}`) | (isInexact ? 1n : 0n), exponent + within);
}

const PRECISION = 53;
const MIN_EXPONENT = -1074;

/** Rounds `mantissa` x 2^`exponent` to a double, halves to the even one. */
function rounded(mantissa: bigint, exponent: number): number {
  const surplus = Math.max(mantissa.toString(2).length - PRECISION, MIN_EXPONENT - exponent, 0);
  const shift = BigInt(surplus);
  let whole = mantissa >> shift;
  const rest = mantissa - (whole << shift);
  const half = shift === 0n ? 1n : 1n << (shift - 1n);
  if (rest > half || (rest === half && shift > 0n && (whole & 1n) === 1n)) whole++;
  return whole === 0n ? 0 : Number(whole) * 2 ** (exponent + surplus);
}
