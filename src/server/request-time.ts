/**
 * How long a request may take: as long as the server lets it, or as its client says by `timeout`, whatever is less
 * (LIMIT-3).
 *
 * @module
 */
import type { ServerLimits } from "./limits.ts";
import type { Query } from "./query.ts";

/** A duration as Go reads it: `1m30s`, `1.5h`, `0`; of nanoseconds up to hours. */
const DURATION = /^([-+]?)(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const PART = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;
/** In ms. */
const UNITS: Readonly<Record<string, number>> = {
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

/** The ms of a duration; undefined for a text that is none. */
export function askedMillis(text: string): number | undefined {
  if (text.length > LONGEST) return undefined;
  const sign = DURATION.exec(text)?.[1];
  if (sign === undefined) return undefined;
  const millis = [...text.matchAll(PART)].reduce((sum, [, count, unit]) => sum + Number(count) * UNITS[unit!]!, 0);
  return sign === "-" ? -millis : millis;
}

/** The ms that a request may take. A `timeout` that is none, zero or less says nothing. */
export function requestMillis(query: Query, { requestMillis: most }: Pick<ServerLimits, "requestMillis">): number {
  const text = query.text("timeout");
  const asked = text === "" ? undefined : askedMillis(text);
  return asked !== undefined && asked > 0 ? Math.min(asked, most) : most;
}
