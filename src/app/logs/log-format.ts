/**
 * Formats a line of the log: as JSON for programs, or as text for people.
 *
 *     {"time":"2026-01-01T12:00:00.000Z","level":"warn","msg":"a connection was dropped","limit":"address","client":"10.0.0.7"}
 *     2026-01-01T12:00:00.000Z WARN  a connection was dropped  limit=address client=10.0.0.7
 *
 * @module
 */
import { type Colour, painter, printable } from "../../cli/colours.ts";
import { isoTime } from "../../meta/iso-time.ts";
import type { LogFacts, LogLevel } from "../../util/log.ts";

/** The format of the log. */
export type LogFormat = "text" | "json";

/** The content of a line of the log. */
export interface LogLine {
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly level: LogLevel;
  readonly message: string;
  readonly facts: LogFacts;
}

/** Formats a line, with its newline. */
export type LogWriter = (line: LogLine) => string;

/** Formats a line as one JSON object; the time is RFC 3339. */
export const jsonLine: LogWriter = ({ time, level, message, facts }) =>
  `${JSON.stringify({ time: isoTime(time), level, msg: message, ...facts })}\n`;

const COLOURS: Readonly<Record<LogLevel, Colour>> = { error: "red", warn: "yellow", info: "green", debug: "dim" };

/** Returns the formatter for people: facts of several lines, such as a stack, are on lines of their own. */
export function textLine(paints: boolean): LogWriter {
  const paint = painter(paints);
  return ({ time, level, message, facts }) => {
    const known = Object.entries(facts).filter(([, value]) => value !== undefined);
    const isLong = ([, value]: [string, unknown]): boolean => typeof value === "string" && value.includes("\n");
    const short = known
      .filter((fact) => !isLong(fact))
      .map(([key, value]) => ` ${paint("dim", `${key}=`)}${word(value)}`);
    const long = known.filter(isLong).flatMap(([key, value]) => [`${key}:`, ...String(value).split("\n")]);
    const name = paint(COLOURS[level], level.toUpperCase().padEnd(5));
    const head = `${isoTime(time)} ${name} ${printable(message)}${short.length > 0 ? " " : ""}${short.join("")}`;
    return [head, ...long.map((text) => `    ${printable(text)}`), ""].join("\n");
  };
}

/** Formats a value as one word. */
function word(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return /^[^\s"=]+$/.test(text) || typeof value !== "string" ? printable(text) : printable(JSON.stringify(text));
}
