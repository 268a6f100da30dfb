import { cutText } from "./cut-text.ts";
import { flatCopy } from "./flat-copy.ts";

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

/** Bytes of a message, of what tells lines of it apart, and of each fact; a stack is not longer. */
const MOST_MESSAGE = 1000;
const MOST_PER = 500;
const MOST_FACT = 4000;

/**
 * A log of a function that is told each line with its level. Every log is made here, so that no line is longer than it may be,
 * whatever drivers, webhooks and clients say; and whoever keeps a line keeps nothing else.
 */
export function logOf(tell: (level: LogLevel, ...line: Parameters<Tell>) => void): Log {
  const of =
    (level: LogLevel): Tell =>
    (message, facts, per) =>
      tell(level, cutText(message, MOST_MESSAGE), facts && bounded(facts), per && flatCopy(cutText(per, MOST_PER)));
  return { error: of("error"), warn: of("warn"), info: of("info"), debug: of("debug") };
}

const bounded = (facts: LogFacts): LogFacts =>
  Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, boundedFact(value)]));

/** What is neither a text nor a number is looked at as the text that it becomes. */
function boundedFact(value: unknown): unknown {
  if (typeof value === "string") return flatCopy(cutText(value, MOST_FACT));
  if (typeof value !== "object" || value === null) return value;
  const text = JSON.stringify(value);
  return 3 * text.length <= MOST_FACT ? value : cutText(text, MOST_FACT);
}

const nobody: Tell = () => {};

/** A log that nobody reads. */
export const silentLog: Log = { error: nobody, warn: nobody, info: nobody, debug: nobody };
