/**
 * Those who wait for a revision.
 *
 * @module
 */

interface Waiter {
  readonly revision: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Calls waiters when their revision has come, in any order. */
export class Waiters {
  readonly #waiters = new Set<Waiter>();
  #next = Infinity;

  get size(): number {
    return this.#waiters.size;
  }

  /** Waits for a revision; the function calls the wait off, and rejects it when given an error. */
  add(revision: number): { readonly reached: Promise<void>; readonly cancel: (error: Error) => void } {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter = { revision, resolve, reject };
    this.#waiters.add(waiter);
    this.#next = Math.min(this.#next, revision);
    return {
      reached: promise,
      cancel: (error) => {
        if (this.#waiters.delete(waiter)) reject(error);
      },
    };
  }

  /** Lets everybody go on who waits for a revision up to this one. */
  reach(revision: number): void {
    if (revision < this.#next) return;
    this.#next = Infinity;
    for (const waiter of this.#waiters) {
      if (waiter.revision <= revision) {
        this.#waiters.delete(waiter);
        waiter.resolve();
      } else {
        this.#next = Math.min(this.#next, waiter.revision);
      }
    }
  }

  /** Refuses everybody. */
  end(error: Error): void {
    for (const waiter of this.#waiters) waiter.reject(error);
    this.#waiters.clear();
  }
}
