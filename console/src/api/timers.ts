/**
 * The time of what waits and tries again, so that tests have their own.
 *
 * @module
 */
import type { Random } from "../../../src/util/clock.ts";

/** What a connection needs of the time. */
export interface Timers {
  /** Calls back after these milliseconds, unless the returned function is called before. */
  after(ms: number, call: () => void): () => void;
  readonly random: Random;
}

/** The timers of the browser. */
export const browserTimers: Timers = {
  after(ms, call) {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
  random: { next: () => Math.random(), uuid: () => crypto.randomUUID() },
};

/** Waits between attempts, in milliseconds. */
export const RETRY = { first: 250, most: 10_000 } as const;
