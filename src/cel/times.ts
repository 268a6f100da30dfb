/**
 * Timestamps and durations with nanoseconds; years 1 to 9999; time zones by offset or by name.
 *
 * @module
 */
import { BoundedCache } from "../util/bounded-cache.ts";
import { parseGoDuration } from "../util/go-duration.ts";
import { parseGoInt } from "../util/go-number.ts";
import { goQuoted } from "../util/go-quote.ts";
import { withoutTrailing } from "../util/scan.ts";
import { daysOf } from "../util/text-formats.ts";
import { Duration, Failure, Timestamp } from "./values.ts";

const SECOND = 1_000_000_000n;
/** An hour may be one digit, and the offset up to `24:60`, as Go's `time.Parse` has it. */
const RFC3339 = /^\d{4}-\d\d-\d\dT(\d\d?):\d\d:\d\d(?:[.,](\d+))?(Z|[+-]\d\d:\d\d)$/;
/** The digits of a fraction of a second. */
const FRACTION_DIGITS = 9;

/** The number of `count` digits at a position. */
function digits(text: string, at: number, count: number): number {
  let number = 0;
  for (let i = at; i < at + count; i++) number = number * 10 + text.charCodeAt(i) - 48;
  return number;
}

/** Parses a timestamp of RFC 3339, also one outside the years 1 to 9999; undefined for any other text. */
export function timestampIn(text: string): Timestamp | undefined {
  const match = RFC3339.exec(text);
  if (!match) return undefined;
  const [, hour, fraction, zone] = match;
  const days = dayIn(text);
  const at = 12 + hour!.length;
  const [hours, minutes, seconds] = [Number(hour), digits(text, at, 2), digits(text, at + 3, 2)];
  if (days === undefined || hours > 23 || minutes > 59 || seconds > 59) return undefined;
  const offset = offsetIn(zone!);
  if (offset === undefined) return undefined;
  const whole = BigInt(days * 86_400 + hours * 3600 + minutes * 60 + seconds - offset * 60);
  const nanos = fraction === undefined ? 0n : BigInt(fraction.slice(0, FRACTION_DIGITS).padEnd(FRACTION_DIGITS, "0"));
  return new Timestamp(whole * SECOND + nanos, offset);
}

/** The date at the start of a text, such as `2024-01-31`, in days since 1970; undefined for an invalid one. */
function dayIn(text: string): number | undefined {
  const [year, month, day] = [digits(text, 0, 4), digits(text, 5, 2), digits(text, 8, 2)];
  if (day < 1 || day > daysOf(year, month)) return undefined;
  return utc(year, month, day) / 86_400_000;
}

/** Whether a timestamp is in the years 1 to 9999. */
export const isWithinTimes = (nanos: bigint): boolean =>
  nanos >= -62_135_596_800_000_000_000n && nanos <= 253_402_300_799_999_999_999n;

function utc(year: number, month: number, day: number): number {
  // Date.UTC maps years of two digits to the last century.
  if (year > 99) return Date.UTC(year, month - 1, day);
  return new Date(Date.UTC(2000, month - 1, day)).setUTCFullYear(year, month - 1, day);
}

/** The minutes of an offset; undefined for an invalid one. */
function offsetIn(text: string): number | undefined {
  if (text === "Z") return 0;
  const [hours, minutes] = [digits(text, 1, 2), digits(text, 4, 2)];
  if (hours > 24 || minutes > 60) return undefined;
  return (text[0] === "-" ? -1 : 1) * (hours * 60 + minutes);
}

/** A timestamp in RFC 3339, with the offset of its source. */
export function timestampText({ nanos, offset }: Timestamp): string {
  const local = nanos + BigInt(offset) * 60n * SECOND;
  const seconds = local >= 0n ? local / SECOND : -((-local + SECOND - 1n) / SECOND);
  const fraction = fractionText(local - seconds * SECOND);
  // A year has four digits, or five in some offsets.
  const date = new Date(Number(seconds) * 1000);
  const year = String(date.getUTCFullYear()).padStart(4, "0");
  return `${year}${date.toISOString().slice(-20, -5)}${fraction}${offset === 0 ? "Z" : offsetText(offset)}`;
}

/** Nanoseconds as a fraction of a second: `.5`; empty for 0. */
function fractionText(nanos: bigint): string {
  return nanos === 0n ? "" : `.${withoutTrailing(nanos.toString().padStart(FRACTION_DIGITS, "0"), "0")}`;
}

function offsetText(offset: number): string {
  const minutes = Math.abs(offset);
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${offset < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** Parses a duration: `1h30m`, `-1.5s`; undefined for any other text. @throws WorkTooLong */
export function durationIn(text: string): Duration | undefined {
  const nanos = parseGoDuration(text);
  return nanos === undefined ? undefined : new Duration(nanos);
}

/** A duration in seconds: `90s`, `1.5s`; with the digits of a double. */
export function durationText({ nanos }: Duration): string {
  const seconds = Number(nanos / SECOND) + Number(nanos % SECOND) / 1e9;
  const text = String(seconds);
  return `${text.includes("e") ? withoutTrailing(seconds.toFixed(FRACTION_DIGITS), "0") : text}s`;
}

/** The parts of a timestamp in a time zone. */
export interface CalendarDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly dayOfYear: number;
  readonly weekday: number;
  readonly hours: number;
  readonly minutes: number;
  readonly seconds: number;
  readonly milliseconds: number;
}

/** The parts of a timestamp in a time zone: `UTC`, `+02:00`, `Europe/Berlin`. */
export function dateOf({ nanos }: Timestamp, zone: string): CalendarDate | Failure {
  const offset = zoneOffset(zone, nanos);
  if (offset instanceof Failure) return offset;
  const local = nanos + BigInt(offset) * 1_000_000n;
  const ms = Number(local >= 0n ? local / 1_000_000n : -((-local + 999_999n) / 1_000_000n));
  const date = new Date(ms);
  const start = new Date(ms);
  start.setUTCMonth(0, 1);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    dayOfYear: Math.round((date.getTime() - start.getTime()) / 86_400_000),
    weekday: date.getUTCDay(),
    hours: date.getUTCHours(),
    minutes: date.getUTCMinutes(),
    seconds: date.getUTCSeconds(),
    milliseconds: date.getUTCMilliseconds(),
  };
}

/** A format takes some 40 kB of memory. */
const zones = new BoundedCache<Intl.DateTimeFormat>({ entries: 100, bytes: 1 << 20 });

const ZONE_WORD = /^(?:[A-Z\d][A-Za-z\d+]*|of|es|au|do)$/;
const MAX_ZONE_LENGTH = 64;

/** Whether a name has the case of the time zone database: Intl ignores case, Go does not. */
function isZoneName(zone: string): boolean {
  if (zone.length > MAX_ZONE_LENGTH || zone === "Z" || !/^[A-Z]/.test(zone)) return false;
  const slash = zone.indexOf("/");
  if (slash > 0 && zone.slice(0, slash) !== "US" && !/^[A-Z][a-z]+$/.test(zone.slice(0, slash))) return false;
  return zone.split(/[/_-]/).every((word) => ZONE_WORD.test(word));
}

/** The offset of a time zone from UTC at a time, in milliseconds. */
function zoneOffset(zone: string, nanos: bigint): number | Failure {
  if (zone === "UTC" || zone === "" || zone === "Local") return 0;
  if (zone.includes(":")) return writtenOffset(zone);
  const format = zoneFormat(zone);
  if (!format) return new Failure(`unknown time zone ${zone}`);
  const name =
    format.formatToParts(Number(nanos / 1_000_000n)).find(({ type }) => type === "timeZoneName")?.value ?? "";
  const [, sign, hours, minutes, seconds = "0"] = /^GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(name) ?? [];
  if (sign === undefined) return 0;
  return (sign === "-" ? -1000 : 1000) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds));
}

function zoneFormat(zone: string): Intl.DateTimeFormat | undefined {
  const known = zones.get(zone);
  if (known || !isZoneName(zone)) return known;
  try {
    const format = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" });
    zones.set(zone, format);
    return format;
  } catch {
    return undefined;
  }
}

/** An offset `HOURS:MINUTES` of any size; a minus before the hours applies to the minutes, too. */
function writtenOffset(zone: string): number | Failure {
  const colon = zone.indexOf(":");
  const [hours, minutes] = [zone.slice(0, colon), zone.slice(colon + 1)];
  for (const part of [hours, minutes]) {
    if (parseGoInt(part) !== undefined) continue;
    const why = /^[+-]?\d+$/.test(part) ? "value out of range" : "invalid syntax";
    return new Failure(`strconv.Atoi: parsing ${goQuoted(part)}: ${why}`);
  }
  const [h, m] = [parseGoInt(hours)!, parseGoInt(minutes)!];
  const nanos = BigInt.asIntN(64, (h * 60n + (zone.startsWith("-") ? -m : m)) * 60n * SECOND);
  return Number(nanos / SECOND) * 1000;
}
