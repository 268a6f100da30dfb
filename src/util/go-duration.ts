/**
 * Durations in nanoseconds: Go's `time.ParseDuration`, and the format `duration` of a schema. Both read a text once.
 *
 * @module
 */
import { checkWork } from "./work-limit.ts";
import { endOfDigits, isDigit } from "./scan.ts";

const SECOND = 1_000_000_000;
const HOUR = 3600 * SECOND;

/** In ns. The sign of micro is U+00B5 or U+03BC. */
const UNITS: ReadonlyMap<string, number> = new Map([
  ["ns", 1],
  ["us", 1000],
  ["\u00b5s", 1000],
  ["\u03bcs", 1000],
  ["ms", 1_000_000],
  ["s", SECOND],
  ["m", 60 * SECOND],
  ["h", HOUR],
]);

/** The units of one letter, by its code. */
const SHORT_UNITS: readonly (number | undefined)[] = Array.from({ length: 128 }, (_, code) =>
  UNITS.get(String.fromCharCode(code)),
);

const POINT = 46;
const ZERO = 48;

/** One more than an int64 holds. */
const LIMIT = 2n ** 63n;
const LIMIT_DIGITS = 19;
/** The sum of two such numbers is exact in a double. */
const SMALL = 2 ** 52;
const SMALL_DIGITS = 15;

/** The length from which a text may be too long for the event loop (see `work-limit.ts`), and the units of work of a character. */
const LONG = 4096;
const UNITS_PER_CHARACTER = 13;

/**
 * Returns the nanoseconds of a duration such as `1h30m`, `-1.5s`, `.5us` or `0` (Go's `time.ParseDuration`): whole numbers and
 * fractions with a unit from `ns` to `h`. Undefined for any other text, and for a value beyond int64.
 *
 * @throws WorkTooLong
 */
export function parseGoDuration(text: string): bigint | undefined {
  if (text.length > LONG) checkWork(text.length * UNITS_PER_CHARACTER);
  const sign = text[0];
  const start = sign === "-" || sign === "+" ? 1 : 0;
  if (text.length === start) return undefined;
  if (text.length === start + 1 && text[start] === "0") return 0n;
  const sum = sumOfParts(text, start);
  if (sign === "-") return sum === undefined ? undefined : -sum;
  return sum === LIMIT ? undefined : sum;
}

/** Returns the same duration in milliseconds. @throws WorkTooLong */
export function parseGoMillis(text: string): number | undefined {
  const nanos = parseGoDuration(text);
  return nanos === undefined ? undefined : Number(nanos) / 1e6;
}

/** At most {@link LIMIT}. */
function sumOfParts(text: string, start: number): bigint | undefined {
  let sum = 0n;
  let small = 0;
  for (let at = start; at < text.length;) {
    const point = endOfDigits(text, at);
    const endOfNumber = text.charCodeAt(point) === POINT ? endOfDigits(text, point + 1) : point;
    if (endOfNumber - at === (endOfNumber === point ? 0 : 1)) return undefined;
    const end = endOfUnit(text, endOfNumber);
    const unit = unitAt(text, endOfNumber, end);
    if (unit === undefined) return undefined;
    const nearly = endOfNumber - at > SMALL_DIGITS ? SMALL : smallNanosOf(text, at, point, endOfNumber, unit);
    if (nearly < SMALL) {
      small += nearly;
    } else {
      const nanos = nanosOf(text, at, point, endOfNumber, unit);
      if (nanos === undefined) return undefined;
      sum += nanos;
    }
    if (small >= SMALL) {
      sum += BigInt(small);
      small = 0;
    }
    if (sum > LIMIT) return undefined;
    at = end;
  }
  sum += BigInt(small);
  return sum > LIMIT ? undefined : sum;
}

/** The nanoseconds of a number of so few digits that a double holds it. */
function smallNanosOf(text: string, at: number, point: number, end: number, unit: number): number {
  const whole = numberIn(text, at, point) * unit;
  if (end <= point + 1) return whole;
  return whole + Math.trunc(numberIn(text, point + 1, end) * (unit / 10 ** (end - point - 1)));
}

/** The number of so few digits that a double holds it, 0 for none; without a slice, since a text may have 100,000 of them. */
function numberIn(text: string, from: number, to: number): number {
  let number = 0;
  for (let i = from; i < to; i++) number = number * 10 + (text.charCodeAt(i) - ZERO);
  return number;
}

/** Finds units of one letter without a slice of the text. */
function unitAt(text: string, from: number, to: number): number | undefined {
  if (to - from !== 1) return UNITS.get(text.slice(from, to));
  return SHORT_UNITS[text.charCodeAt(from)];
}

/** A unit ends at the next number. */
function endOfUnit(text: string, from: number): number {
  let end = from;
  while (end < text.length && text.charCodeAt(end) !== POINT && !isDigit(text.charCodeAt(end))) end++;
  return end;
}

function nanosOf(text: string, at: number, point: number, end: number, unit: number): bigint | undefined {
  const whole = wholeIn(text, at, point);
  if (whole === undefined) return undefined;
  const nanos = whole * BigInt(unit) + (end === point ? 0n : fractionIn(text, point + 1, end, unit));
  return nanos > LIMIT ? undefined : nanos;
}

/** The number of the digits, 0 for none; undefined where it has more digits than an int64. */
function wholeIn(text: string, from: number, to: number): bigint | undefined {
  let start = from;
  while (start < to && text[start] === "0") start++;
  return to - start > LIMIT_DIGITS ? undefined : BigInt(text.slice(start, to));
}

/** The nanoseconds of the digits after a point as Go computes them: of the digits that an int64 holds, in a double. */
function fractionIn(text: string, from: number, to: number, unit: number): bigint {
  let number = 0n;
  let scale = 1;
  for (let i = from; i < to && number <= (LIMIT - 1n) / 10n; i++) {
    const next = number * 10n + BigInt(text.charCodeAt(i) - 48);
    if (next > LIMIT) break;
    number = next;
    scale *= 10;
  }
  return BigInt(Math.trunc(Number(number) * (unit / scale)));
}

const DAY = 24 * HOUR;

/** Units that stand alone, and prefixes of longer units. */
const WORDS: ReadonlyMap<string, number> = new Map([
  ...UNITS,
  ["hr", HOUR],
  ["d", DAY],
  ["w", 7 * DAY],
  ["wk", 7 * DAY],
]);
const STEMS: readonly (readonly [string, number])[] = [
  ["nano", 1],
  ["micro", 1000],
  ["milli", 1_000_000],
  ["sec", SECOND],
  ["min", 60 * SECOND],
  ["hour", HOUR],
  ["day", DAY],
  ["week", 7 * DAY],
];

/**
 * Returns the nanoseconds of a text of the format `duration` (strfmt of `k8s.io/kube-openapi`): a duration of Go, or else the
 * sum of all whole numbers in the text that are followed by a unit, such as `3 days`, `2weeks` or `1 hour, 5 mins`. The sum
 * wraps around as an int64 does. Undefined where there is no such number.
 *
 * @throws WorkTooLong
 */
export function parseFormatDuration(text: string): bigint | undefined {
  const exact = parseGoDuration(text);
  if (exact !== undefined) return exact;
  let sum: bigint | undefined;
  for (let at = 0; at < text.length;) {
    const endOfNumber = endOfDigits(text, at);
    if (endOfNumber === at) {
      at++;
      continue;
    }
    const start = endOfBlanks(text, endOfNumber);
    const end = endOfLetters(text, start);
    if (end > start) {
      const whole = wholeIn(text, at, endOfNumber);
      if (whole === undefined || whole >= LIMIT) return undefined;
      const unit = unitOf(text.slice(start, end));
      if (unit !== undefined) sum = BigInt.asIntN(64, (sum ?? 0n) + whole * BigInt(unit));
    }
    at = end;
  }
  return sum;
}

function unitOf(letters: string): number | undefined {
  const unit = letters.toLowerCase();
  return WORDS.get(unit) ?? STEMS.find(([stem]) => unit.startsWith(stem))?.[1];
}

function endOfBlanks(text: string, from: number): number {
  let end = from;
  while (end < text.length && " \t\n\f\r".includes(text.charAt(end))) end++;
  return end;
}

function endOfLetters(text: string, from: number): number {
  let end = from;
  while (end < text.length && /[A-Za-z\u00b5]/.test(text.charAt(end))) end++;
  return end;
}
