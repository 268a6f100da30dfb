import { endOfDigits } from "./scan.ts";

/** A duration: milliseconds, or numbers and units such as `500ms`, `1.5s`, `10m`, `24h`, `7d`. */
export type Duration = number | `${number}${Unit}`;

type Unit = "ms" | "s" | "m" | "h" | "d";

const UNITS: Readonly<Record<Unit, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Returns the milliseconds of a duration. @throws RangeError for a value that is invalid or negative */
export function millisOf(duration: Duration): number {
  const millis = typeof duration === "number" ? duration : parseDuration(duration);
  if (millis !== undefined && Number.isFinite(millis) && millis >= 0) return millis;
  throw new RangeError(`expected a duration such as 500, "1.5s" or "10m", got ${JSON.stringify(duration)}`);
}

/** Prints a duration from 0 ms as Go does, without trailing zeros: `15.25s`, `1m0.5s`, `312.5ms`, and at the finest `40µs`. */
export function durationText(millis: number): string {
  const micros = Math.round(millis * 1000);
  if (micros === 0) return "0s";
  if (micros < 1000) return `${micros}µs`;
  if (micros < 1_000_000) return `${micros / 1000}ms`;
  const minutes = Math.floor(micros / 60_000_000);
  const seconds = `${(micros % 60_000_000) / 1_000_000}s`;
  if (minutes === 0) return seconds;
  return minutes < 60 ? `${minutes}m${seconds}` : `${Math.floor(minutes / 60)}h${minutes % 60}m${seconds}`;
}

const isUnit = (text: string): text is Unit => Object.hasOwn(UNITS, text);

/** Returns the milliseconds of a text such as `90m` or `1h30m`; undefined when it is no duration. */
export function parseDuration(text: string): number | undefined {
  let sum = 0;
  let at = 0;
  do {
    const point = endOfDigits(text, at);
    const endOfNumber = text[point] === "." ? endOfDigits(text, point + 1) : point;
    const end = endOfNumber + (text.startsWith("ms", endOfNumber) ? 2 : 1);
    const unit = text.slice(endOfNumber, end);
    const hasDigits = point > at && endOfNumber !== point + 1;
    if (!hasDigits || !isUnit(unit)) return undefined;
    sum += Number(text.slice(at, endOfNumber)) * UNITS[unit];
    at = end;
  } while (at < text.length);
  return sum;
}
