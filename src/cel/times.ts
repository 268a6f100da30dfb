/**
 * Moments and times that pass, with nanoseconds, years 1 to 9999, and zones by offset or by name.
 *
 * @module
 */
import { parseGoDuration } from "../util/go-duration.ts";
import { withoutTrailing } from "../util/scan.ts";
import { Duration, Failure, Timestamp } from "./values.ts";

const SECOND = 1_000_000_000n;
const RFC3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:[.,](\d+))?([Zz]|[+-]\d\d:\d\d)$/;
/** Digits of a fraction of a second that count. */
const PLACES = 9;

const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
/** Days of a month from 1. */
export const daysOf = (year: number, month: number): number => (month === 2 && isLeap(year) ? 29 : DAYS[month - 1]!);

/** The number that so many digits from a place are. */
function digits(text: string, at: number, count: number): number {
  let number = 0;
  for (let i = at; i < at + count; i++) number = number * 10 + text.charCodeAt(i) - 48;
  return number;
}

/** A moment as RFC 3339 writes it; undefined for any other text. */
export function timestampIn(text: string): Timestamp | undefined {
  const match = RFC3339.exec(text);
  if (!match) return undefined;
  const [year, month, day] = [digits(text, 0, 4), digits(text, 5, 2), digits(text, 8, 2)];
  const [hours, minutes, seconds] = [digits(text, 11, 2), digits(text, 14, 2), digits(text, 17, 2)];
  if (month < 1 || month > 12 || day < 1 || day > daysOf(year, month) || year < 1) return undefined;
  if (hours > 23 || minutes > 59 || seconds > 59) return undefined;
  const [, fraction, zone] = match;
  const offset = offsetIn(zone!);
  if (offset === undefined) return undefined;
  const millis = utc(year, month, day, hours, minutes, seconds) - offset * 60_000;
  const nanos = fraction === undefined ? 0n : BigInt(fraction.slice(0, PLACES).padEnd(PLACES, "0"));
  return new Timestamp(BigInt(millis) * 1_000_000n + nanos, offset);
}

function utc(year: number, month: number, day: number, hours: number, minutes: number, seconds: number): number {
  // Years of two digits are taken for those of the last century.
  if (year > 99) return Date.UTC(year, month - 1, day, hours, minutes, seconds);
  const date = new Date(Date.UTC(2000, month - 1, day, hours, minutes, seconds));
  date.setUTCFullYear(year, month - 1, day);
  return date.getTime();
}

/** The minutes of an offset; undefined where there are none such. */
function offsetIn(text: string): number | undefined {
  if (text === "Z" || text === "z") return 0;
  const [, sign, hours, minutes] = /^([+-]?)(\d\d):(\d\d)$/.exec(text) ?? [];
  if (hours === undefined || Number(hours) > 23 || Number(minutes) > 59) return undefined;
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

/** A moment as RFC 3339 writes it, in the offset in which it was written. */
export function timestampText({ nanos, offset }: Timestamp): string {
  const local = nanos + BigInt(offset) * 60n * SECOND;
  const seconds = local >= 0n ? local / SECOND : -((-local + SECOND - 1n) / SECOND);
  const fraction = fractionText(local - seconds * SECOND);
  const text = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  return `${text}${fraction}${offset === 0 ? "Z" : offsetText(offset)}`;
}

/** Nanoseconds below a second as they stand behind the seconds: `.5`; nothing for 0. */
function fractionText(nanos: bigint): string {
  return nanos === 0n ? "" : `.${withoutTrailing(nanos.toString().padStart(PLACES, "0"), "0")}`;
}

function offsetText(offset: number): string {
  const minutes = Math.abs(offset);
  const two = (value: number): string => String(value).padStart(2, "0");
  return `${offset < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** A time that passes: `1h30m`, `-1.5s`; undefined for any other text. @throws TooHeavy */
export function durationIn(text: string): Duration | undefined {
  const nanos = parseGoDuration(text);
  return nanos === undefined ? undefined : new Duration(nanos);
}

/** Seconds with a fraction, as conversions write them: `90s`, `1.5s`. */
export function durationText({ nanos }: Duration): string {
  const magnitude = nanos < 0n ? -nanos : nanos;
  const fraction = fractionText(magnitude % SECOND);
  return `${nanos < 0n ? "-" : ""}${magnitude / SECOND}${fraction}s`;
}

/** A moment in a zone, in parts. */
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

/** The parts of a moment in a zone: `UTC`, `+02:00`, `Europe/Berlin`. */
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

const MOST_ZONES = 100;
const zones = new Map<string, Intl.DateTimeFormat>();

/** How far a zone is ahead of UTC at a moment, in ms. */
function zoneOffset(zone: string, nanos: bigint): number | Failure {
  if (zone === "UTC" || zone === "") return 0;
  const fixed = offsetIn(zone);
  if (fixed !== undefined) return fixed * 60_000;
  if (zone.includes(":")) return new Failure(`unknown time zone ${zone}`);
  let format = zones.get(zone);
  if (!format) {
    try {
      format = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" });
    } catch {
      return new Failure(`unknown time zone ${zone}`);
    }
    if (zones.size >= MOST_ZONES) zones.delete(zones.keys().next().value!);
    zones.set(zone, format);
  }
  const name =
    format.formatToParts(Number(nanos / 1_000_000n)).find(({ type }) => type === "timeZoneName")?.value ?? "";
  return (offsetIn(name.replace("GMT", "") || "Z") ?? 0) * 60_000;
}
