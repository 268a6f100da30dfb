/** A span of time: milliseconds, or a number and its unit such as `500ms`, `1.5s`, `10m`, `24h`, `7d`. */
export type Duration = number | `${number}${Unit}`;

type Unit = "ms" | "s" | "m" | "h" | "d";

const UNITS: Readonly<Record<Unit, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The milliseconds of a duration. @throws RangeError for what is none, a negative one included */
export function millisOf(duration: Duration): number {
  const [, number = "", unit = ""] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(String(duration)) ?? [];
  const millis = typeof duration === "number" ? duration : Number(number || Number.NaN) * UNITS[unit as Unit];
  if (Number.isFinite(millis) && millis >= 0) return millis;
  throw new RangeError(`expected a duration such as 500, "1.5s" or "10m", got ${JSON.stringify(duration)}`);
}
