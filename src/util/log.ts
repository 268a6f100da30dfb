/** A line of the log: what happened, and the facts beside it. */
export type LogFacts = Readonly<Record<string, unknown>>;

/** Where a room tells what happened. Never tokens, keys or the content of Secrets. */
export interface Log {
  error(message: string, facts?: LogFacts): void;
  warn(message: string, facts?: LogFacts): void;
  info(message: string, facts?: LogFacts): void;
  debug(message: string, facts?: LogFacts): void;
}

/** A log that nobody reads. */
export const silentLog: Log = { error() {}, warn() {}, info() {}, debug() {} };
