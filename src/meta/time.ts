/**
 * Times on the wire: Time and MicroTime, both RFC 3339 in UTC (META-14, META-15, DEC-5), and ages as kubectl prints them.
 *
 * The zero time of Go, the first moment of year 1, is "no time" for typed clients; it is stored as null.
 *
 * @module
 */
import { isoTime } from "./iso-time.ts";
import { memoizeLast } from "../util/once.ts";

/** The zero time of Go, 0001-01-01T00:00:00Z, in milliseconds. */
const NO_TIME = -62135596800000;
const LAST_TIME = 253402300799999; // 9999-12-31T23:59:59.999Z

const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** The number of `count` digits at `at`, -1 when there is another character. */
function digits(text: string, at: number, count: number): number {
  let value = 0;
  for (let i = at; i < at + count; i++) {
    const digit = text.charCodeAt(i) - 48;
    if (!(digit >= 0 && digit <= 9)) return -1;
    value = value * 10 + digit;
  }
  return value;
}

/** The end of the fraction whose dot is at 19; 19 when there is none, -1 for a dot without digits. */
function fractionEnd(text: string): number {
  if (text[19] !== ".") return 19;
  let end = 20;
  while (text.charCodeAt(end) >= 48 && text.charCodeAt(end) <= 57) end++;
  return end === 20 ? -1 : end;
}

/** The offset from UTC in minutes at `at`, up to the end of the text; undefined when it is none. */
function offset(text: string, at: number): number | undefined {
  if (text[at] === "Z") return text.length === at + 1 ? 0 : undefined;
  const sign = text[at] === "+" ? 1 : text[at] === "-" ? -1 : 0;
  const hours = digits(text, at + 1, 2);
  const minutes = digits(text, at + 4, 2);
  if (sign === 0 || text.length !== at + 6 || text[at + 3] !== ":") return undefined;
  return hours < 0 || hours > 23 || minutes < 0 || minutes > 59 ? undefined : sign * (hours * 60 + minutes);
}

/** Whether the text begins with a date and time of day that exist, `2006-01-02T15:04:05`. */
function begins(text: string): boolean {
  const year = digits(text, 0, 4);
  const month = digits(text, 5, 2);
  const day = digits(text, 8, 2);
  const hour = digits(text, 11, 2);
  const minute = digits(text, 14, 2);
  const second = digits(text, 17, 2);
  if (text[4] !== "-" || text[7] !== "-" || text[10] !== "T" || text[13] !== ":" || text[16] !== ":") return false;
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > DAYS[month - 1]!) return false;
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return false;
  return month !== 2 || day !== 29 || (year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0));
}

/** The whole seconds of a date that exists, in milliseconds, as if it were UTC. */
function seconds(text: string): number {
  // Date.UTC takes the years 0 to 99 for 1900 to 1999; 400 years are always equally long.
  const year = digits(text, 0, 4) + 400;
  const time = Date.UTC(year, digits(text, 5, 2) - 1, digits(text, 8, 2), digits(text, 11, 2), digits(text, 14, 2));
  return time + digits(text, 17, 2) * 1000 - 12_622_780_800_000;
}

/** The seconds of a time in UTC (ms since the epoch), `lenient` with any fraction, else with exactly `fraction` digits. */
function parse(text: string, fraction: number | undefined): number | undefined {
  const end = fractionEnd(text);
  if (end < 0 || !begins(text)) return undefined;
  if (fraction !== undefined && end !== 20 + fraction) return undefined;
  const minutes = offset(text, end);
  if (minutes === undefined) return undefined;
  const ms = seconds(text) - minutes * 60_000;
  return ms < NO_TIME || ms > LAST_TIME ? undefined : ms;
}

/**
 * Milliseconds since the epoch of a time with or without a fraction (cut to milliseconds); undefined when the text is
 * no RFC 3339 time.
 */
export function parseTime(text: string): number | undefined {
  const ms = parse(text, undefined);
  if (ms === undefined || text[19] !== ".") return ms;
  const end = fractionEnd(text);
  return ms + Number(text.slice(20, Math.min(end, 23)).padEnd(3, "0"));
}

/** A Time in its stored form; null for "no time", undefined when the text is no time (DEC-5). */
export function canonicalTime(text: string): string | null | undefined {
  // A canonical time is only checked, not parsed to a number.
  if (text.length === 20 && text[19] === "Z" && !text.startsWith("0001-01-01T")) return begins(text) ? text : undefined;
  const ms = parse(text, undefined);
  if (ms === undefined) return undefined;
  if (ms === NO_TIME) return null;
  return formatTime(ms);
}

/**
 * A MicroTime in its stored form; null for "no time", undefined when the text is no such time.
 *
 * @param options `lenient` accepts any number of fraction digits and cuts them to six; else there must be six (DEC-5)
 */
export function canonicalMicroTime(text: string, options: { readonly lenient: boolean }): string | null | undefined {
  const isLikely = text.length === 27 && text[26] === "Z" && text[19] === "." && digits(text, 20, 6) >= 0;
  if (isLikely && !text.startsWith("0001-01-01T")) return begins(text) ? text : undefined;
  const ms = parse(text, options.lenient ? undefined : 6);
  if (ms === undefined) return undefined;
  const micros = text[19] === "." ? text.slice(20, Math.min(fractionEnd(text), 26)).padEnd(6, "0") : "000000";
  return ms === NO_TIME && micros === "000000" ? null : `${isoTime(ms).slice(0, 19)}.${micros}Z`;
}

const SECOND = 1000;

/** Every write prints the current second, so its text is cached. */
const secondText = memoizeLast((second: number) => `${isoTime(second * SECOND).slice(0, 19)}Z`);

/** A time (ms since the epoch) as a Time: whole seconds. */
export const formatTime = (ms: number): string => secondText(Math.floor(ms / SECOND));

/** A time (ms since the epoch, and microseconds beyond them) as a MicroTime: six digits of fraction. */
export const formatMicroTime = (ms: number, micros = 0): string =>
  `${isoTime(ms).slice(0, 23)}${String(micros % 1000).padStart(3, "0")}Z`;

const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

// How an age less than `below` is printed: in the first unit, and the rest in the second.
const AGES = [
  { below: 2 * MINUTE, unit: SECOND, sign: "s" },
  { below: 10 * MINUTE, unit: MINUTE, sign: "m", rest: SECOND, restSign: "s" },
  { below: 3 * HOUR, unit: MINUTE, sign: "m" },
  { below: 8 * HOUR, unit: HOUR, sign: "h", rest: MINUTE, restSign: "m" },
  { below: 2 * DAY, unit: HOUR, sign: "h" },
  { below: 8 * DAY, unit: DAY, sign: "d", rest: HOUR, restSign: "h" },
  { below: 2 * YEAR, unit: DAY, sign: "d" },
  { below: 8 * YEAR, unit: YEAR, sign: "y", rest: DAY, restSign: "d" },
  { below: Infinity, unit: YEAR, sign: "y" },
];

/**
 * A duration (ms) in the short form of kubectl's AGE columns: `119s`, `5m30s`, `3h12m`, `2d3h`, `12d`, `3y45d`.
 * Up to two seconds below zero count as now, because clocks differ; more is `<invalid>`.
 */
export function humanDuration(ms: number): string {
  const whole = Math.trunc(ms / SECOND);
  if (whole < -1) return "<invalid>";
  const age = Math.max(0, whole) * SECOND;
  const { unit, sign, rest, restSign } = AGES.find((step) => age < step.below)!;
  const remains = rest ? Math.floor((age % unit) / rest) : 0;
  return `${Math.floor(age / unit)}${sign}${remains ? `${remains}${restSign}` : ""}`;
}
