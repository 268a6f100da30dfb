/** A span of time: milliseconds, or a number and its unit such as `500ms`, `1.5s`, `10m`, `24h`, `7d`. */
export type Duration = number | `${number}${Unit}`;

type Unit = "ms" | "s" | "m" | "h" | "d";

const UNITS: Readonly<Record<Unit, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

const PART = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/g;

/** The milliseconds of a duration. @throws RangeError for what is none, a negative one included */
export function millisOf(duration: Duration): number {
  const millis = typeof duration === "number" ? duration : parseDuration(duration);
  if (millis !== undefined && Number.isFinite(millis) && millis >= 0) return millis;
  throw new RangeError(`expected a duration such as 500, "1.5s" or "10m", got ${JSON.stringify(duration)}`);
}

/**
 * A span as Go prints it: `15.25s`, `1m0.5s`, `312.5ms`, `40µs`; nothing finer than a microsecond, without zeros at the end.
 *
 * @param millis from 0
 */
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

/** The milliseconds of a text such as `90m` or `1h30m`; undefined when it is no duration. */
export function parseDuration(text: string): number | undefined {
  const parts = [...text.matchAll(PART)];
  if (parts.length === 0 || parts.map(([part]) => part).join("") !== text) return undefined;
  return parts.reduce((sum, [, number, unit]) => sum + Number(number) * UNITS[unit as Unit], 0);
}

/** A duration as Go reads it: `1m30s`, `1.5h`, `0`; of nanoseconds up to hours. */
const GO_DURATION = /^([-+]?)(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const GO_PART = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;
/** In ms. */
const GO_UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
/** Nobody needs a longer text. */
const LONGEST = 100;

/** The milliseconds of a text in Go's form, which has signs, fractions without a digit before or after and nanoseconds, and no days; undefined for one that is none. */
export function parseGoDuration(text: string): number | undefined {
  if (text.length > LONGEST) return undefined;
  const sign = GO_DURATION.exec(text)?.[1];
  if (sign === undefined) return undefined;
  const millis = [...text.matchAll(GO_PART)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * GO_UNITS[unit!]!,
    0,
  );
  return sign === "-" ? -millis : millis;
}
