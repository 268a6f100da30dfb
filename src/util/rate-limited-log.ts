/**
 * Writes a line at once when its cause is new, and then at most once a minute, with the number of repetitions. So many
 * equal events cost a few lines, and none is lost.
 *
 *     0 s   connection dropped                 written
 *     1 s   connection dropped   (a thousand times)
 *     60 s                                     written with the facts of the last one: repeated=1000
 *     61 s  connection dropped
 *     120 s                                    written: repeated=1
 *     180 s                                    expired: the next one is written at once
 *
 * @module
 */
import type { Clock } from "./clock.ts";
import { Deadlines } from "./deadlines.ts";
import { type Log, type LogFacts, type LogLevel, newLog } from "./log.ts";

const PERIOD_MS = 60_000;
/** Causes that are distinguished at the same time; all others count as one. */
const MAX_CAUSES = 1000;
const OVERFLOW = "there are more causes than the log distinguishes";

/** A line that was written, and how often it was repeated since. */
interface Cause {
  readonly level: LogLevel;
  readonly message: string;
  facts: LogFacts;
  repeated: number;
}

/** A log that writes repeated lines at most once a minute; it writes the pending ones when it is disposed of. */
export type RateLimitedLog = Log & Disposable;

/** Limits the rate of a log; `debug` is not limited. */
export function rateLimitedLog(log: Log, clock: Clock): RateLimitedLog {
  const causes = new Causes(log, clock);
  const calm = newLog((level, message, facts = {}, per = "") =>
    causes.write({ level, message, facts, repeated: 0 }, per),
  );
  return { ...calm, debug: log.debug, [Symbol.dispose]: () => causes[Symbol.dispose]() };
}

class Causes implements Disposable {
  readonly #log: Log;
  readonly #known = new Map<string, Cause>();
  readonly #periods: Deadlines<string>;

  constructor(log: Log, clock: Clock) {
    this.#log = log;
    this.#periods = new Deadlines({ clock, millis: PERIOD_MS, owner: "log", over: (key) => this.#endPeriod(key) });
  }

  write(cause: Cause, per: string): void {
    const key = `${cause.level} ${cause.message} ${per}`;
    const known = this.#known.get(key);
    if (known) {
      known.repeated++;
      known.facts = cause.facts;
    } else if (this.#known.size < MAX_CAUSES || cause.message === OVERFLOW) {
      this.#known.set(key, cause);
      this.#periods.add(key);
      this.#log[cause.level](cause.message, cause.facts);
    } else {
      this.write({ level: "warn", message: OVERFLOW, facts: { last: cause.message }, repeated: 0 }, "");
    }
  }

  [Symbol.dispose](): void {
    this.#periods[Symbol.dispose]();
    for (const cause of this.#known.values()) this.#writeRepeated(cause);
    this.#known.clear();
  }

  #endPeriod(key: string): void {
    const cause = this.#known.get(key);
    if (cause && this.#writeRepeated(cause)) this.#periods.add(key);
    else this.#known.delete(key);
  }

  /** Writes the number of repetitions; returns false where there were none. */
  #writeRepeated(cause: Cause): boolean {
    const { level, message, facts, repeated } = cause;
    if (repeated === 0) return false;
    cause.repeated = 0;
    this.#log[level](message, { ...facts, repeated });
    return true;
  }
}
