/** A line of the log: what happened, and the facts beside it. */
export type LogFacts = Readonly<Record<string, unknown>>;

/** How much a line matters, the gravest first. */
export const LOG_LEVELS = ["error", "warn", "info", "debug"] as const;

/**
 * How much a line matters.
 *
 * - `error`: something is lost, or will be unless somebody acts
 * - `warn`: something was refused or went wrong, and work goes on
 * - `info`: what an operator wants to read afterwards: start, stop, renewals, connections to other services
 * - `debug`: what helps to find out why
 */
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * Tells a line. The message is a constant text, all that changes is in the facts. Lines with the same message are of one
 * cause, unless `per` says what tells them apart: the name of a namespace, of a limit.
 */
export type Tell = (message: string, facts?: LogFacts, per?: string) => void;

/** Where a room tells what happened. Never tokens, keys, bodies, queries or the content of Secrets. */
export type Log = { readonly [Level in LogLevel]: Tell };

/** A log of a function that is told each line with its level. */
export function logOf(tell: (level: LogLevel, ...line: Parameters<Tell>) => void): Log {
  const of =
    (level: LogLevel): Tell =>
    (...line) =>
      tell(level, ...line);
  return { error: of("error"), warn: of("warn"), info: of("info"), debug: of("debug") };
}

/** A log that nobody reads. */
export const silentLog: Log = logOf(() => {});
