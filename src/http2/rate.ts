/** So many at once, and so many more each second. */
export interface RateLimit {
  readonly burst: number;
  readonly perSecond: number;
}

/** Counts what a peer may do now and then, but not all the time: a bucket that fills up as time goes by. */
export class Rate {
  readonly #limit: RateLimit;
  readonly #now: () => number;
  #left: number;
  #since: number;

  /** @param now the steady clock, in ms */
  constructor(limit: RateLimit, now: () => number) {
    this.#limit = limit;
    this.#now = now;
    this.#left = limit.burst;
    this.#since = now();
  }

  /** Counts one; whether it was still within the limit. */
  take(): boolean {
    const now = this.#now();
    const { burst, perSecond } = this.#limit;
    this.#left = Math.min(burst, this.#left + ((now - this.#since) / 1000) * perSecond);
    this.#since = now;
    return --this.#left >= 0;
  }
}
