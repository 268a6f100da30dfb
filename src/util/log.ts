import { cutText } from "./cut-text.ts";
import { flatCopy } from "./flat-copy.ts";

/** The fields of a line of the log in addition to its message. */
export type LogFacts = Readonly<Record<string, unknown>>;

/** The levels of the log, the most severe first. */
export const LOG_LEVELS = ["error", "warn", "info", "debug"] as const;

/**
 * The severity of a line.
 *
 * - `error`: data or service is lost, or will be unless an operator acts
 * - `warn`: a request was refused or an operation failed, and work continues
 * - `info`: events for an operator: start, stop, renewals, connections to other services
 * - `debug`: details for an analysis
 */
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * Writes a line. The message is a constant text; all that changes is in the facts. Lines with the same message have the same
 * cause, unless `per` distinguishes them, such as the name of a namespace or of a limit.
 */
export type LogMethod = (message: string, facts?: LogFacts, per?: string) => void;

/** The log of a room, which never gets tokens, keys, bodies, queries or the content of Secrets. */
export type Log = { readonly [Level in LogLevel]: LogMethod };

const MAX_MESSAGE_BYTES = 1000;
const MAX_PER_BYTES = 500;
/** The limit of each fact; a stack is not longer. */
const MAX_FACT_BYTES = 4000;

/** Returns a log that writes with a function. Its lines are bounded and keep no longer texts of drivers and clients alive. */
export function newLog(write: (level: LogLevel, ...line: Parameters<LogMethod>) => void): Log {
  const of =
    (level: LogLevel): LogMethod =>
    (message, facts, per) =>
      write(
        level,
        cutText(message, MAX_MESSAGE_BYTES),
        facts && bounded(facts),
        per && flatCopy(cutText(per, MAX_PER_BYTES)),
      );
  return { error: of("error"), warn: of("warn"), info: of("info"), debug: of("debug") };
}

const bounded = (facts: LogFacts): LogFacts =>
  Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, boundedFact(value)]));

/** An object that is too large becomes a part of its JSON. */
function boundedFact(value: unknown): unknown {
  if (typeof value === "string") return flatCopy(cutText(value, MAX_FACT_BYTES));
  if (typeof value !== "object" || value === null) return value;
  const text = JSON.stringify(value);
  return 3 * text.length <= MAX_FACT_BYTES ? value : cutText(text, MAX_FACT_BYTES);
}

const ignore: LogMethod = () => {};

/** A log that discards its lines. */
export const silentLog: Log = { error: ignore, warn: ignore, info: ignore, debug: ignore };
