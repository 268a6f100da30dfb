interface Waiter {
  readonly revision: number;
  readonly since: number;
  readonly done: (revision: number) => void;
}

/** Callers that wait until a revision has been delivered to the watchers. */
export class RevisionWaiters {
  #waiters: Waiter[] = [];
  #lowest = Infinity;

  /** Calls `done` with `revision` when {@link RevisionWaiters.notify} has reached it. */
  add(revision: number, now: number, done: (revision: number) => void): void {
    this.#lowest = Math.min(this.#lowest, revision);
    this.#waiters.push({ revision, since: now, done });
  }

  /** Notifies those that wait for a revision up to this one. */
  notify(revision: number): void {
    if (revision < this.#lowest) return;
    const waiters = this.#waiters;
    this.#waiters = [];
    this.#lowest = Infinity;
    for (const waiter of waiters) {
      if (waiter.revision <= revision) waiter.done(waiter.revision);
      else this.add(waiter.revision, waiter.since, waiter.done);
    }
  }

  /** When the first one began to wait. */
  get oldest(): number | undefined {
    return this.#waiters[0]?.since;
  }
}
