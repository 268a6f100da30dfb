/**
 * Quantities: `1Gi`, `500m`, `2e3` (DEC-9).
 *
 * A quantity is an exact decimal number with the family of its suffix. It has at most nine decimal places (more are rounded
 * away from zero), and a binary one is at most 2^63-1. Numbers are kept as digits and a power of ten, so that `1e400` costs
 * nothing.
 *
 * @module
 */

/** `binary`: Ki, Mi ...; `decimal`: n, u, m, k, M ...; `exponent`: e3, E3. */
export type QuantityFamily = "binary" | "decimal" | "exponent";

/** An exact number, `mantissa` x 10^`exponent`, with the family of its suffix. */
export interface Quantity {
  readonly mantissa: bigint;
  readonly exponent: number;
  readonly family: QuantityFamily;
}

const FORM = /^([+-]?)(\d*)(?:\.(\d*))?(|[KMGTPE]i|[eE][+-]?\d{1,10}|[numkMGTPE])$/;
const MAX_LENGTH = 1024;
const DECIMAL = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
const BINARY = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const MAX_EXPONENT = 2 ** 31 - 1;
const MAX_INT64 = 2n ** 63n - 1n;
const MAX_PLACES = 9;
/** Larger binary powers need digits: a suffix alone counts as 0 below this one. */
const MIN_POWER_WITH_DIGITS = 5;

/** The parts of the text of a quantity: the digits without leading zeros, the decimal places, the suffix. */
interface Written {
  readonly negative: boolean;
  readonly whole: string;
  readonly places: string;
  readonly family: QuantityFamily;
  /** Power of ten of the suffix, or of 1024 in the binary family. */
  readonly power: number;
}

function read(text: string): Written | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const match = FORM.exec(text);
  if (!match || text === "") return undefined;
  const [, sign, digits = "", places = "", suffix = ""] = match;
  const hasDigits = digits !== "" || places !== "";
  const parts = { negative: sign === "-", whole: digits.startsWith("0") ? digits.replace(/^0+/, "") : digits, places };
  if (suffix.endsWith("i")) {
    const power = BINARY.indexOf(suffix);
    return hasDigits || power < MIN_POWER_WITH_DIGITS ? { ...parts, family: "binary", power } : undefined;
  }
  const decimal = DECIMAL.indexOf(suffix);
  if (decimal >= 0) return { ...parts, family: "decimal", power: (decimal - 3) * 3 };
  const power = Number(suffix.slice(1));
  if (!hasDigits && power < -MAX_PLACES) return undefined;
  return Math.abs(power) > MAX_EXPONENT ? undefined : { ...parts, family: "exponent", power };
}

const sentText = (value: string | number): string => (typeof value === "number" ? String(value) : value.trim());

/** Parses a quantity; blanks around it are ignored. Undefined when it is malformed or has more than 1024 characters. */
export function parseQuantity(value: string | number): Quantity | undefined {
  const written = read(sentText(value));
  return written && toQuantity(written);
}

function toQuantity({ negative, whole, places, family, power }: Written): Quantity {
  let mantissa = BigInt(whole + places || "0");
  let exponent = -places.length;
  if (family === "binary") mantissa <<= BigInt(power * 10);
  else exponent += power;
  if (exponent < -MAX_PLACES) {
    mantissa = divideUp(mantissa, -MAX_PLACES - exponent);
    exponent = -MAX_PLACES;
  }
  if (family === "binary" && mantissa > MAX_INT64 * 10n ** BigInt(-exponent)) {
    mantissa = MAX_INT64;
    exponent = 0;
  }
  return { mantissa: negative ? -mantissa : mantissa, exponent, family };
}

/** `value` / 10^`places`, rounded up; `value` is not negative. */
function divideUp(value: bigint, places: number): bigint {
  if (value === 0n) return 0n;
  if (places > 2 * MAX_LENGTH) return 1n;
  const unit = 10n ** BigInt(places);
  return (value + unit - 1n) / unit;
}

// Most quantities have this form and are canonical: a short number and a suffix.
const SHORT = /^[1-9]\d{0,5}(?:[KMGT]i|[numkMGTPE]?)$/;

/**
 * The canonical text of a quantity: no fraction, the largest suffix of its family without loss (`1.5Gi` -> `1536Mi`,
 * `0.5` -> `500m`). Undefined when it is malformed.
 *
 * @param keepNearly keeps a text that the parser of typed clients takes for canonical, such as `+5` or `1e0` (kubernetes
 *   dialect)
 */
export function canonicalQuantity(value: string | number, keepNearly = false): string | undefined {
  const text = sentText(value);
  if (text === "0") return text;
  if (SHORT.test(text)) {
    const number = Number.parseInt(text, 10);
    if (number % (text.endsWith("i") ? 1024 : 1000) !== 0) return text;
  }
  const written = read(text);
  if (!written) return undefined;
  return keepNearly && looksCanonical(written) ? text : print(toQuantity(written));
}

/** An int64, `value` x 10^`scale`. */
export interface ScaledQuantity {
  readonly value: bigint;
  readonly scale: number;
}

const MAX_DIGITS = 18;

/**
 * The number of a quantity where typed Go clients keep it as an int64; undefined where they use arbitrary precision, and where
 * it is malformed.
 */
export function scaledQuantity(text: string): ScaledQuantity | undefined {
  const written = read(text);
  if (!written) return undefined;
  const { negative, whole, places, family, power } = written;
  const digits = (whole || "0") + places;
  const isBinary = family === "binary";
  const precision = isBinary ? 15 - (whole.length || 1) - Math.trunc(power * 3) - 1 : MAX_DIGITS - digits.length;
  const scale = (isBinary ? 0 : power) - places.length;
  if (precision < 0 || scale < -MAX_PLACES || (isBinary && places !== "")) return undefined;
  const value = BigInt(digits) << BigInt(isBinary ? power * 10 : 0);
  return { value: negative ? -value : value, scale };
}

/** The end of the digits that begin at an index. */
function endOfDigits(text: string, from: number): number {
  let end = from;
  while (text[end]! >= "0" && text[end]! <= "9") end++;
  return end;
}

const WRONG_FORMAT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/** What is wrong with the text of a quantity, as typed Go clients report it; undefined when nothing is. */
export function quantityFault(text: string): string | undefined {
  if (read(text)) return undefined;
  const point = endOfDigits(text, text.startsWith("-") || text.startsWith("+") ? 1 : 0);
  const suffix = text.slice(text[point] === "." ? endOfDigits(text, point + 1) : point);
  if (text === "" || text.length > MAX_LENGTH || !/^[eEinumkKMGTP]*[-+]?\d*$/.test(suffix)) return WRONG_FORMAT;
  return SUFFIX.test(suffix) ? "unable to parse numeric part of quantity" : "unable to parse quantity's suffix";
}

const SUFFIX = /^(?:|[KMGTPE]i|[eE][+-]?\d{1,10}|[numkMGTPE])$/;

/** Whether the parser of typed Go clients takes it for canonical: it fits an int64 easily and has no obvious factor. */
function looksCanonical({ whole, places, family, power }: Written): boolean {
  const number = (whole || "0") + places;
  if (family === "binary") {
    const precision = 15 - (whole.length || 1) - Math.trunc(power * 3) - 1;
    return places === "" && precision >= 0 && (Number(number) & 7) !== 0;
  }
  const exponent = power - places.length;
  if (number.length > 18 || exponent < -MAX_PLACES) return false;
  return exponent % 3 === 0 && !number.endsWith("000") && number[0] !== "0";
}

function print(quantity: Quantity): string {
  if (quantity.mantissa === 0n) return "0";
  const { mantissa, exponent, family } = normal(quantity);
  if (family === "binary" && exponent >= 0) {
    const value = mantissa * 10n ** BigInt(exponent);
    if (value >= 1024n || value <= -1024n) return printBinary(value);
  }
  return printDecimal(mantissa, exponent, family === "exponent");
}

/** The same number without trailing zeros in its mantissa. */
function normal({ mantissa, exponent, family }: Quantity): Quantity {
  if (mantissa === 0n) return { mantissa, exponent: 0, family };
  const digits = mantissa.toString();
  let end = digits.length;
  while (end > 1 && digits[end - 1] === "0") end--;
  return { mantissa: BigInt(digits.slice(0, end)), exponent: exponent + digits.length - end, family };
}

function printBinary(value: bigint): string {
  let rest = value;
  let power = 0;
  while (rest % 1024n === 0n && power < BINARY.length - 1) {
    rest /= 1024n;
    power++;
  }
  return `${rest}${BINARY[power]}`;
}

/** Suffixes are powers of 1000; beyond the largest one an exponent is printed. */
function printDecimal(mantissa: bigint, exponent: number, asExponent: boolean): string {
  const power = Math.floor(exponent / 3) * 3;
  const number = `${mantissa}${"0".repeat(exponent - power)}`;
  const suffix = asExponent ? undefined : DECIMAL[power / 3 + 3];
  return `${number}${suffix ?? (power === 0 ? "" : `e${power}`)}`;
}

const ZERO: Quantity = { mantissa: 0n, exponent: 0, family: "decimal" };

// Most quantities fit a double exactly.
const SMALL = /^(\d{1,6})(|m|k|M|G|Ki|Mi|Gi)$/;
const SIZES: Readonly<Record<string, number>> = {
  "": 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
};

/** The longest whole number that a double has exactly, whatever its digits. */
const MAX_COUNT_DIGITS = 15;

/** The value of a canonical whole number without a suffix, the form of most counts; undefined for any other text. */
function countOf(text: string): number | undefined {
  const { length } = text;
  if (length === 0 || length > MAX_COUNT_DIGITS || (length > 1 && text.startsWith("0"))) return undefined;
  let count = 0;
  for (let i = 0; i < length; i++) {
    const digit = text.charCodeAt(i) - 48;
    if (digit < 0 || digit > 9) return undefined;
    count = 10 * count + digit;
  }
  return count;
}

function smallValue(text: string): number | undefined {
  const count = countOf(text);
  if (count !== undefined) return count;
  const match = SMALL.exec(text);
  if (!match) return undefined;
  const number = Number(match[1]);
  return match[2] === "m" ? number / 1000 : number * SIZES[match[2]!]!;
}

/** Compares two quantities by value: negative, 0 or positive; a malformed one counts as 0. */
export function compareQuantities(a: string, b: string): number {
  if (a === b) return 0;
  const [small, other] = [smallValue(a), smallValue(b)];
  if (small !== undefined && other !== undefined) return Math.sign(small - other);
  const x = normal(parseQuantity(a) ?? ZERO);
  const y = normal(parseQuantity(b) ?? ZERO);
  const sign = signOf(x.mantissa);
  if (sign !== signOf(y.mantissa)) return sign - signOf(y.mantissa);
  if (sign === 0) return 0;
  // Different numbers of digits before the point decide; else the exponents are close enough to be aligned.
  const size = x.mantissa.toString().length + x.exponent - (y.mantissa.toString().length + y.exponent);
  if (size !== 0) return size > 0 ? sign : -sign;
  const shift = x.exponent - y.exponent;
  const left = shift > 0 ? x.mantissa * 10n ** BigInt(shift) : x.mantissa;
  const right = shift < 0 ? y.mantissa * 10n ** BigInt(-shift) : y.mantissa;
  return left === right ? 0 : left > right ? 1 : -1;
}

const signOf = (value: bigint): -1 | 0 | 1 => (value === 0n ? 0 : value > 0n ? 1 : -1);

/** The sign of a quantity; a malformed one counts as 0. */
export function quantitySign(value: string): -1 | 0 | 1 {
  const small = smallValue(value);
  if (small !== undefined) return small > 0 ? 1 : 0;
  return signOf((parseQuantity(value) ?? ZERO).mantissa);
}

/** The sum of two counts; undefined where the sum has another form, such as `2k`. */
function sumOfCounts(a: string, b: string): string | undefined {
  const [x, y] = [countOf(a), countOf(b)];
  if (x === undefined || y === undefined || (x + y) % 1000 === 0) return undefined;
  return String(x + y);
}

/** The sum of two quantities, in the family of the first one that is not 0; a malformed one counts as 0. */
export function addQuantities(a: string, b: string): string {
  const count = sumOfCounts(a, b);
  if (count !== undefined) return count;
  const [x, y] = [parseQuantity(a) ?? ZERO, parseQuantity(b) ?? ZERO];
  if (y.mantissa === 0n) return a;
  if (x.mantissa === 0n) return b;
  const exponent = Math.min(x.exponent, y.exponent);
  // The smaller one is negligible beside a number with more digits than any text may have.
  if (Math.abs(x.exponent - y.exponent) > 2 * MAX_LENGTH) return x.exponent > y.exponent ? a : b;
  const mantissa =
    x.mantissa * 10n ** BigInt(x.exponent - exponent) + y.mantissa * 10n ** BigInt(y.exponent - exponent);
  return print({ mantissa, exponent, family: x.family });
}

/** The difference of two quantities, in the family of the first one that is not 0. */
export const subtractQuantities = (a: string, b: string): string => addQuantities(a, negated(b));

function negated(text: string): string {
  const quantity = parseQuantity(text) ?? ZERO;
  return print({ ...quantity, mantissa: -quantity.mantissa });
}

/** The product of two quantities; a malformed one counts as 0. */
export function multiplyQuantities(a: string, b: string): string {
  const [x, y] = [parseQuantity(a) ?? ZERO, parseQuantity(b) ?? ZERO];
  return print({ mantissa: x.mantissa * y.mantissa, exponent: x.exponent + y.exponent, family: "decimal" });
}

/** A quantity as an integer, rounded away from 0 and limited to 2^63-1; undefined when it is malformed. */
export function wholeNumber(text: string): bigint | undefined {
  const quantity = parseQuantity(text);
  if (!quantity) return undefined;
  const { mantissa, exponent } = normal(quantity);
  const size = mantissa < 0n ? -mantissa : mantissa;
  // 19 digits are too many in any case.
  const whole = exponent < 0 ? divideUp(size, -exponent) : size * 10n ** BigInt(Math.min(exponent, 19));
  const kept = whole > MAX_INT64 ? MAX_INT64 : whole;
  return mantissa < 0n ? -kept : kept;
}

/** Whether a quantity is an integer (`500m` is none). */
export function isWholeQuantity(value: string): boolean {
  const quantity = parseQuantity(value);
  return quantity !== undefined && normal(quantity).exponent >= 0;
}
