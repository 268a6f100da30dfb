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

/** The milliseconds of a text such as `90m` or `1h30m`; undefined when it is no duration. */
export function parseDuration(text: string): number | undefined {
  const parts = [...text.matchAll(PART)];
  if (parts.length === 0 || parts.map(([part]) => part).join("") !== text) return undefined;
  return parts.reduce((sum, [, number, unit]) => sum + Number(number) * UNITS[unit as Unit], 0);
}
