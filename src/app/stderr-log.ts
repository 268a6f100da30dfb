import type { Clock } from "../util/clock.ts";
import type { Log, LogFacts } from "../util/log.ts";
import type { LogLevel } from "./options.ts";

const ORDER: readonly LogLevel[] = ["error", "warn", "info", "debug"];

/** A log of JSON lines on standard error, down to a level. */
export function stderrLog(level: LogLevel, clock: Clock): Log {
  const most = ORDER.indexOf(level);
  const writer = (of: LogLevel): ((message: string, facts?: LogFacts) => void) => {
    if (ORDER.indexOf(of) > most) return () => {};
    return (message, facts = {}) => {
      const time = new Date(clock.now()).toISOString();
      process.stderr.write(`${JSON.stringify({ time, level: of, message, ...facts })}\n`);
    };
  };
  return { error: writer("error"), warn: writer("warn"), info: writer("info"), debug: writer("debug") };
}
