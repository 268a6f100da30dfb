/**
 * Time and chance, passed in.
 *
 * Every room takes a {@link Clock} and a {@link Random}; only this file and `app/` touch the globals behind them, so a
 * test can move time and repeat chance.
 *
 * @module
 */

/** A timer that can be called off. */
export interface Timer {
  cancel(): void;
}

/** The time of day, a steady counter and timers. */
export interface Clock {
  /** Milliseconds since the epoch, as the wall clock shows them. */
  now(): number;
  /** Milliseconds of a steady counter: for durations, never for dates. */
  steady(): number;
  /** Runs `work` once, after `ms` milliseconds; a pending timer does not keep the process alive. */
  after(ms: number, work: () => void): Timer;
}

/** A source of chance. */
export interface Random {
  /** A number in [0, 1). */
  next(): number;
  /** A version 4 UUID (RFC 9562). */
  uuid(): string;
}

/** The longest that a timer of the machine can wait, in ms (24.8 days); with more it would fire at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  steady: () => performance.now(),
  after(ms, work) {
    let timer: NodeJS.Timeout;
    const arm = (left: number): void => {
      timer = left > LONGEST_MS ? setTimeout(() => arm(left - LONGEST_MS), LONGEST_MS) : setTimeout(work, left);
      timer.unref();
    };
    arm(ms);
    return { cancel: () => clearTimeout(timer) };
  },
};

/** Resolves after `ms` milliseconds of `clock`, or as soon as `signal` is aborted. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) {
      resolve();
      return;
    }
    const wake = (): void => {
      timer.cancel();
      signal?.removeEventListener("abort", wake);
      resolve();
    };
    const timer = clock.after(ms, wake);
    signal?.addEventListener("abort", wake);
  });
}

/** Kept from the beginning: a test that puts its own timers into the globals still gets its turn. */
const { setImmediate } = globalThis;

/** Resolves when a whole turn of the event loop has passed: what was ready, input too, has been heard. */
export function turn(): Promise<void> {
  // The first stands at the end of this turn, which may have begun long ago; the second at the end of the next.
  return new Promise((resolve) => void setImmediate(() => setImmediate(resolve)));
}

/** Chance from the operating system. */
export const systemRandom: Random = {
  next: () => Math.random(),
  uuid: () => crypto.randomUUID(),
};

/** A clock that stands still until a test moves it; timers fire in order of their time while it moves. */
export class ManualClock implements Clock {
  #now: number;
  #steady = 0;
  #timers: { at: number; work: () => void }[] = [];

  /** @param start milliseconds since the epoch at which the clock stands */
  constructor(start = Date.UTC(2026, 0, 1)) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  steady(): number {
    return this.#steady;
  }

  after(ms: number, work: () => void): Timer {
    const timer = { at: this.#steady + Math.max(0, ms), work };
    this.#timers.push(timer);
    return {
      cancel: () => {
        this.#timers = this.#timers.filter((t) => t !== timer);
      },
    };
  }

  /** Moves the clock forward and runs what becomes due on the way. */
  advance(ms: number): void {
    const end = this.#steady + ms;
    for (;;) {
      const due = this.#timers.filter((t) => t.at <= end).toSorted((a, b) => a.at - b.at)[0];
      if (!due) break;
      this.#timers = this.#timers.filter((t) => t !== due);
      this.#move(due.at);
      due.work();
    }
    this.#move(end);
  }

  #move(to: number): void {
    this.#now += to - this.#steady;
    this.#steady = to;
  }
}

/** Chance that repeats itself: the same seed gives the same sequence (mulberry32). */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const hex = (digits: number): string =>
    Array.from({ length: digits }, () => Math.floor(next() * 16).toString(16)).join("");
  return { next, uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}` };
}
