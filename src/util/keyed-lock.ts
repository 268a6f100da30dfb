import type { Clock, Timer } from "./clock.ts";
import { ShortLivedMap } from "./short-lived.ts";

/** Limits of the time for which work waits for a lock and holds it. */
export interface LockLimits {
  readonly clock: Clock;
  /** The longest wait in milliseconds. */
  readonly waitMillis: number;
  /** The longest hold in milliseconds, from when other work waits for the lock or the signal of the hold is in use. */
  readonly holdMillis: number;
  /** How many may wait for one key. Default 1000. */
  readonly maxWaiting?: number | undefined;
}

/** The error of work that has no lock: it `waited` too long, too many waited (`crowded`), or it `held` the lock too long. */
export class LockTimeout extends Error {
  readonly why: "waited" | "crowded" | "held";

  constructor(why: LockTimeout["why"], message: string) {
    super(message);
    this.name = "LockTimeout";
    this.why = why;
  }
}

/** A lock while some work holds it. */
export interface Hold {
  /** Aborted with a {@link LockTimeout} when the hold expires. Work that awaits other work passes it on. */
  readonly signal: AbortSignal;
}

/** Returns the result of some work; a promise rejects with the reason of the signal as soon as the hold expires. */
export function whileHeld<T>(hold: Hold, work: Promise<T>): Promise<T>;
export function whileHeld<T>(hold: Hold, work: T | Promise<T>): T | Promise<T>;
export function whileHeld<T>(hold: Hold, work: T | Promise<T>): T | Promise<T> {
  if (!(work instanceof Promise)) return work;
  const { signal } = hold;
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const stop = (): void => reject(signal.reason);
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop);
  work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  return promise;
}

/**
 * A lock for each key: work with the same key runs one after another, work with different keys in parallel.
 *
 * Writers of one object wait for each other and do not fail with conflicts. With limits no wait is endless: a hold that is
 * too long expires, and the next work begins. The signal tells the late work; it may still run in parallel with the next one,
 * so it must be safe without the lock, as is a write that names the version that it replaces.
 * A hold that no other work waits for and whose signal is not in use costs no timer.
 */
export class KeyedLock {
  readonly #limits: LockLimits | undefined;
  readonly #times: Times | undefined;
  readonly #held = new ShortLivedMap<string, KeyHold>();
  #alone = 0;

  /** @param limits without them work may wait, and hold its lock, without end */
  constructor(limits?: LockLimits) {
    this.#limits = limits;
    this.#times = limits && { ...limits, over: (hold) => this.#pass(hold) };
  }

  /** Runs `work` when all earlier work for `key` has ended, with or without an error, or its hold has expired. */
  run<T>(key: string, work: (hold: Hold) => Promise<T>): Promise<T> {
    const held = this.#held.get(key);
    return held === undefined ? this.#begin(key, work, undefined) : this.#wait(held, key, work);
  }

  /** Runs work at once under a key of its own. */
  alone<T>(work: (hold: Hold) => Promise<T>): Promise<T> {
    return this.#begin(`\0${this.#alone++}`, work, undefined);
  }

  /** How many keys are locked. */
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
      result = Promise.reject(error);
    }
    const end = (): void => this.#pass(hold);
    result.then(end, end);
    return result;
  }

  #wait<T>(held: KeyHold, key: string, work: (hold: Hold) => Promise<T>): Promise<T> {
    const { clock, waitMillis = 0, maxWaiting = 1000 } = this.#limits ?? {};
    const waiting = (held.waiting ??= new Set());
    if (clock && waiting.size >= maxWaiting) {
      return Promise.reject(new LockTimeout("crowded", `${waiting.size} other writers wait already`));
    }
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const begin = (): void => {
      timer?.cancel();
      resolve(this.#begin(key, work, waiting));
    };
    const expire = (): void => {
      waiting.delete(begin);
      reject(new LockTimeout("waited", `waited ${waitMillis} ms for others to end`));
    };
    waiting.add(begin);
    const timer = clock?.after(waitMillis, expire, TIMER);
    held.startTimer();
    return promise;
  }

  /** Ends a hold, unless it has ended before, and passes the lock to the work that has waited longest. */
  #pass(hold: KeyHold): void {
    if (hold.over) return;
    hold.close();
    const { key, waiting } = hold;
    const [begin] = waiting ?? [];
    if (waiting === undefined || begin === undefined) {
      this.#held.delete(key);
      return;
    }
    waiting.delete(begin);
    begin();
    if (waiting.size > 0) this.#held.get(key)?.startTimer();
  }
}

/** Callbacks of the work that waits for a lock, in its order. */
type Waiting = Set<() => void>;

/** The limits with the callback for holds that expire. */
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
      this.startTimer();
    }
    return this.#abort.signal;
  }

  startTimer(): void {
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
