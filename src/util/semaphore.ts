/**
 * Bounds on how much work runs at once; other work waits in the order of arrival.
 *
 * @module
 */
import type { Clock } from "./clock.ts";

/** A counting semaphore. */
export class Semaphore {
  #free: number;
  readonly #waiting = new Set<() => void>();

  /** @param permits how many pieces of work run at once */
  constructor(permits: number) {
    this.#free = permits;
  }

  /** How many permits are free. */
  get free(): number {
    return this.#free;
  }

  /** How many callers wait for a permit. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Runs work with a permit. Rejects with the reason of the signal where that is aborted first. */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (signal?.aborted) throw signal.reason;
    if (this.#free > 0) this.#free--;
    else await this.#wait(signal);
    try {
      return await work();
    } finally {
      this.#release();
    }
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancel = (): void => {
        this.#waiting.delete(begin);
        reject(signal?.reason);
      };
      const begin = (): void => {
        signal?.removeEventListener("abort", cancel);
        resolve();
      };
      this.#waiting.add(begin);
      signal?.addEventListener("abort", cancel, { once: true });
    });
  }

  #release(): void {
    const [first] = this.#waiting;
    if (first === undefined) {
      this.#free++;
      return;
    }
    this.#waiting.delete(first);
    first();
  }
}

/** A semaphore for each key. A key is kept while work of it runs or waits. */
export class KeyedSemaphore {
  readonly #permits: number;
  readonly #semaphores = new Map<string, { readonly semaphore: Semaphore; users: number }>();

  /** @param permits how many pieces of work run at once for one key */
  constructor(permits: number) {
    this.#permits = permits;
  }

  /** How many keys are in use. */
  get size(): number {
    return this.#semaphores.size;
  }

  /** Runs work with a permit of a key. Rejects with the reason of the signal where that is aborted first. */
  async run<T>(key: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const entry = this.#semaphores.get(key) ?? { semaphore: new Semaphore(this.#permits), users: 0 };
    this.#semaphores.set(key, entry);
    entry.users++;
    try {
      return await entry.semaphore.run(work, signal);
    } finally {
      if (--entry.users === 0) this.#semaphores.delete(key);
    }
  }
}

/** How much work runs at once, how much more waits for it, and for how many ms at most. */
export interface ConcurrencyBounds {
  readonly running: number;
  readonly waiting: number;
  readonly millis: number;
}

/** The error of work that a limiter refused: too much waits, or it has waited too long. */
export class LimitExceeded extends Error {
  override readonly name = "LimitExceeded";
}

/** A semaphore with a bounded queue. */
export class ConcurrencyLimiter {
  readonly #clock: Pick<Clock, "after">;
  readonly #bounds: ConcurrencyBounds;
  readonly #semaphore: Semaphore;

  constructor(clock: Pick<Clock, "after">, bounds: ConcurrencyBounds) {
    this.#clock = clock;
    this.#bounds = bounds;
    this.#semaphore = new Semaphore(bounds.running);
  }

  /** How much work waits. */
  get waiting(): number {
    return this.#semaphore.waiting;
  }

  /** Runs work at once or later. Rejects with {@link LimitExceeded} where the work never begins. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#semaphore.free > 0) return this.#semaphore.run(work);
    const { waiting, millis } = this.#bounds;
    if (this.waiting >= waiting) throw new LimitExceeded(`expected at most ${waiting} to wait`);
    const timeout = new AbortController();
    const expire = (): void => timeout.abort(new LimitExceeded(`expected to begin within ${millis / 1000} s`));
    const timer = this.#clock.after(millis, expire);
    const begin = (): Promise<T> => {
      timer.cancel();
      return work();
    };
    return this.#semaphore.run(begin, timeout.signal);
  }
}
