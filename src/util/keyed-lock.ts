import type { Clock, Timer } from "./clock.ts";
import { PassingMap } from "./passing.ts";

/** How long work may wait for a lock and hold it. */
export interface LockLimits {
  readonly clock: Clock;
  /** Milliseconds after which work that waits gives up. */
  readonly waitMillis: number;
  /** Milliseconds for which a lock is held, from when other work waits for it or its signal was asked for. */
  readonly holdMillis: number;
  /** How many may wait for one key. Default 1000. */
  readonly mostWaiting?: number | undefined;
}

/** Why a lock was not given or was taken away: work `waited` too long, too many waited (`crowded`), or it was `held` too long. */
export class LockTimeout extends Error {
  readonly why: "waited" | "crowded" | "held";

  constructor(why: LockTimeout["why"], message: string) {
    super(message);
    this.name = "LockTimeout";
    this.why = why;
  }
}

/** A lock that some work holds. */
export interface Hold {
  /** Aborted with a {@link LockTimeout} when the lock is taken away. Work that waits for others passes it on. */
  readonly signal: AbortSignal;
}

/** The result of some work; work that waits rejects with the reason of the signal as soon as the lock is taken away. */
export function whileHeld<T>(hold: Hold, work: Promise<T>): Promise<T>;
export function whileHeld<T>(hold: Hold, work: T | Promise<T>): T | Promise<T>;
export function whileHeld<T>(hold: Hold, work: T | Promise<T>): T | Promise<T> {
  if (!(work instanceof Promise)) return work;
  const { signal } = hold;
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const stop = (): void => reject(signal.reason as Error);
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop);
  work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  return promise;
}

/**
 * A lock for each key: work with the same key runs one after another, work with different keys side by side.
 *
 * Writers of one object wait for each other instead of racing for its version and losing. With limits no wait is endless:
 * a lock that is held too long is taken away and the next work begins. The late work knows by its signal; what it still
 * does, it does beside others, so it must be safe by itself, as a write is that names the version it replaces.
 * A hold that no other work waits for and whose signal was not asked for costs no timer.
 */
export class KeyedLock {
  readonly #limits: LockLimits | undefined;
  readonly #times: Times | undefined;
  readonly #held = new PassingMap<string, KeyHold>();
  #alone = 0;

  /** @param limits without them work may wait, and hold its lock, for ever */
  constructor(limits?: LockLimits) {
    this.#limits = limits;
    this.#times = limits && { ...limits, over: (hold) => this.#pass(hold) };
  }

  /** Runs `work` when all earlier work for `key` has ended, however it ended, or has lost its lock. */
  run<T>(key: string, work: (hold: Hold) => Promise<T>): Promise<T> {
    const held = this.#held.get(key);
    return held === undefined ? this.#begin(key, work, undefined) : this.#wait(held, key, work);
  }

  /** Runs work at once under a key of its own. */
  alone<T>(work: (hold: Hold) => Promise<T>): Promise<T> {
    return this.#begin(`\0${this.#alone++}`, work, undefined);
  }

  /** How many keys have work under way. */
  get size(): number {
    return this.#held.size;
  }

  #begin<T>(key: string, work: (hold: Hold) => Promise<T>, waiting: Waiting | undefined): Promise<T> {
    const hold = new KeyHold(this.#times, key, waiting);
    this.#held.set(key, hold);
    let result: Promise<T>;
    try {
      result = work(hold);
    } catch (error) {
      result = Promise.reject(error as Error);
    }
    const end = (): void => this.#pass(hold);
    result.then(end, end);
    return result;
  }

  #wait<T>(held: KeyHold, key: string, work: (hold: Hold) => Promise<T>): Promise<T> {
    const { clock, waitMillis = 0, mostWaiting = 1000 } = this.#limits ?? {};
    const waiting = (held.waiting ??= new Set());
    if (clock && waiting.size >= mostWaiting) {
      return Promise.reject(new LockTimeout("crowded", `${waiting.size} other writers wait already`));
    }
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const begin = (): void => {
      timer?.cancel();
      resolve(this.#begin(key, work, waiting));
    };
    const giveUp = (): void => {
      waiting.delete(begin);
      reject(new LockTimeout("waited", `waited ${waitMillis} ms for others to end`));
    };
    waiting.add(begin);
    const timer = clock?.after(waitMillis, giveUp, TIMER);
    held.count();
    return promise;
  }

  /** Ends a hold, unless it has ended before, and gives the lock to the work that has waited longest. */
  #pass(hold: KeyHold): void {
    if (hold.over) return;
    hold.close();
    const { key, waiting } = hold;
    if (waiting === undefined || waiting.size === 0) {
      this.#held.delete(key);
      return;
    }
    const [begin] = waiting;
    waiting.delete(begin!);
    begin!();
    if (waiting.size > 0) this.#held.get(key)?.count();
  }
}

/** Work that waits for a lock, in the order in which it came; called when it gets the lock. */
type Waiting = Set<() => void>;

/** How holds end by time: what a lock with limits has once, for all of them. */
interface Times extends LockLimits {
  readonly over: (hold: KeyHold) => void;
}

const TIMER = { owner: "lock of an object" };

class KeyHold implements Hold {
  readonly key: string;
  waiting: Waiting | undefined;
  over = false;
  readonly #times: Times | undefined;
  #timer: Timer | undefined = undefined;
  #abort: AbortController | undefined = undefined;

  constructor(times: Times | undefined, key: string, waiting: Waiting | undefined) {
    this.#times = times;
    this.key = key;
    this.waiting = waiting;
  }

  get signal(): AbortSignal {
    if (!this.#abort) {
      this.#abort = new AbortController();
      this.count();
    }
    return this.#abort.signal;
  }

  /** From now on the time of the hold counts. */
  count(): void {
    const times = this.#times;
    if (this.over) return;
    this.#timer ??= times?.clock.after(times.holdMillis, () => this.#expire(times), TIMER);
  }

  close(): void {
    this.over = true;
    this.#timer?.cancel();
  }

  #expire(times: Times): void {
    const why = new LockTimeout("held", `did not end within ${times.holdMillis} ms`);
    (this.#abort ??= new AbortController()).abort(why);
    times.over(this);
  }
}
