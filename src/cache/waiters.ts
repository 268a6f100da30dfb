interface Waiter {
  readonly revision: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Promises that wait for revisions, in any order. */
export class Waiters {
  readonly #waiters = new Set<Waiter>();
  #next = Infinity;

  get size(): number {
    return this.#waiters.size;
  }

  /** Waits for a revision; `cancel` rejects the promise. */
  add(revision: number): { readonly promise: Promise<void>; readonly cancel: (error: Error) => void } {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter = { revision, resolve, reject };
    this.#waiters.add(waiter);
    this.#next = Math.min(this.#next, revision);
    return {
      promise,
      cancel: (error) => {
        if (this.#waiters.delete(waiter)) reject(error);
      },
    };
  }

  /** Resolves the promises that wait for a revision up to this one. */
  notify(revision: number): void {
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

  /** Rejects all promises. */
  end(error: Error): void {
    for (const waiter of this.#waiters) waiter.reject(error);
    this.#waiters.clear();
  }
}
