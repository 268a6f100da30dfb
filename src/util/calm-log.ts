/**
 * Each cause once: a line is told at once when its cause is new, and from then on at most once a minute, with how often it
 * has happened since. So what a flood of clients provokes costs a few lines, and nothing is kept quiet for good.
 *
 *     0 s   connection dropped                 told
 *     1 s   connection dropped   (a thousand times)
 *     60 s                                     told, with the facts of the last one: repeated=1000
 *     61 s  connection dropped
 *     120 s                                    told: repeated=1
 *     180 s                                    forgotten: the next one is told at once
 *
 * @module
 */
import type { Clock } from "./clock.ts";
import { Deadlines } from "./deadlines.ts";
import { type Log, type LogFacts, type LogLevel, logOf } from "./log.ts";

const PERIOD_MS = 60_000;
/** Causes that are told apart at the same time; all others count as one. */
const MOST_CAUSES = 1000;
const CROWD = "there are more causes than the log tells apart";

/** A line that was told, and how often it has happened since. */
interface Cause {
  readonly level: LogLevel;
  readonly message: string;
  facts: LogFacts;
  repeated: number;
}

/** A log that tells each cause once in a while; what it holds back is told when it is disposed of. */
export type CalmLog = Log & Disposable;

/** Puts itself before a log; `debug` passes as it is. */
export function calmLog(log: Log, clock: Clock): CalmLog {
  const causes = new Causes(log, clock);
  const calm = logOf((level, message, facts = {}, per = "") =>
    causes.tell({ level, message, facts, repeated: 0 }, per),
  );
  return { ...calm, debug: log.debug, [Symbol.dispose]: () => causes[Symbol.dispose]() };
}

class Causes implements Disposable {
  readonly #log: Log;
  readonly #known = new Map<string, Cause>();
  readonly #periods: Deadlines<string>;

  constructor(log: Log, clock: Clock) {
    this.#log = log;
    this.#periods = new Deadlines({ clock, millis: PERIOD_MS, owner: "log", over: (key) => this.#over(key) });
  }

  tell(cause: Cause, per: string): void {
    const key = `${cause.level} ${cause.message} ${per}`;
    const known = this.#known.get(key);
    if (known) {
      known.repeated++;
      known.facts = cause.facts;
    } else if (this.#known.size < MOST_CAUSES || cause.message === CROWD) {
      this.#known.set(key, cause);
      this.#periods.add(key);
      this.#log[cause.level](cause.message, cause.facts);
    } else {
      this.tell({ level: "warn", message: CROWD, facts: { last: cause.message }, repeated: 0 }, "");
    }
  }

  [Symbol.dispose](): void {
    this.#periods[Symbol.dispose]();
    for (const cause of this.#known.values()) this.#again(cause);
    this.#known.clear();
  }

  #over(key: string): void {
    if (this.#again(this.#known.get(key)!)) this.#periods.add(key);
    else this.#known.delete(key);
  }

  /** Tells how often it has happened again; false where it has not. */
  #again(cause: Cause): boolean {
    const { level, message, facts, repeated } = cause;
    if (repeated === 0) return false;
    cause.repeated = 0;
    this.#log[level](message, { ...facts, repeated });
    return true;
  }
}
