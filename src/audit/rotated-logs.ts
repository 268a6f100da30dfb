/**
 * The names of rotated audit logs: `audit-2026-01-31T10-20-30.123.log` for `audit.log`, with `.gz` where one is compressed
 * (AUDIT-24).
 *
 * @module
 */

/** A rotated log. */
export interface RotatedLog {
  readonly name: string;
  /** Milliseconds since the epoch at which it was rotated: it contains nothing newer. */
  readonly at: number;
  readonly isCompressed: boolean;
}

/** The part of a name before its last dot, and the rest. */
function splitName(name: string): [string, string] {
  const dot = name.lastIndexOf(".");
  return dot <= 0 ? [name, ""] : [name.slice(0, dot), name.slice(dot)];
}

/** The name of a log that is rotated now. */
export function rotatedName(name: string, now: number): string {
  const [start, end] = splitName(name);
  return `${start}-${new Date(now).toISOString().slice(0, -1).replaceAll(":", "-")}${end}`;
}

const TIME = /^(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\d\.\d{3})$/;

/** The rotated logs of a log among the file names of its directory, oldest first. */
export function rotatedLogs(name: string, files: readonly string[]): RotatedLog[] {
  const [start, end] = splitName(name);
  const found: RotatedLog[] = [];
  for (const file of files) {
    const isCompressed = file.endsWith(".gz");
    const plain = isCompressed ? file.slice(0, -3) : file;
    if (!plain.startsWith(`${start}-`) || !plain.endsWith(end)) continue;
    const [, day, hour, minute, second] = TIME.exec(plain.slice(start.length + 1, plain.length - end.length)) ?? [];
    if (day === undefined) continue;
    found.push({ name: file, at: Date.parse(`${day}${hour}:${minute}:${second}Z`), isCompressed });
  }
  return found.toSorted((a, b) => a.at - b.at);
}
