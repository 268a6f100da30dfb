/**
 * What a log is called that was put aside: `audit-2026-01-31T10-20-30.123.log` for `audit.log`, with `.gz` where it is
 * compressed (AUDIT-24).
 *
 * @module
 */

/** A log that was put aside. */
export interface AsideName {
  readonly name: string;
  /** Milliseconds since the epoch at which it was put aside: nothing in it is newer. */
  readonly at: number;
  readonly isPacked: boolean;
}

/** A name in its beginning and its end: what stands before the last dot, and the rest. */
function halves(name: string): [string, string] {
  const dot = name.lastIndexOf(".");
  return dot <= 0 ? [name, ""] : [name.slice(0, dot), name.slice(dot)];
}

/** What a file is called from a time on. */
export function asideName(name: string, now: number): string {
  const [start, end] = halves(name);
  return `${start}-${new Date(now).toISOString().slice(0, -1).replaceAll(":", "-")}${end}`;
}

const TIME = /^(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\d\.\d{3})$/;

/** Those of the names of a directory that a file has had, the oldest first. */
export function asideNames(name: string, names: readonly string[]): AsideName[] {
  const [start, end] = halves(name);
  const found: AsideName[] = [];
  for (const one of names) {
    const isPacked = one.endsWith(".gz");
    const plain = isPacked ? one.slice(0, -3) : one;
    if (!plain.startsWith(`${start}-`) || !plain.endsWith(end)) continue;
    const [, day, hour, minute, second] = TIME.exec(plain.slice(start.length + 1, plain.length - end.length)) ?? [];
    if (day === undefined) continue;
    found.push({ name: one, at: Date.parse(`${day}${hour}:${minute}:${second}Z`), isPacked });
  }
  return found.toSorted((a, b) => a.at - b.at);
}
