/** A burst, and a rate per second. */
export interface RateLimit {
  readonly burst: number;
  readonly perSecond: number;
}

/** A token bucket for what a peer may do at times, but not all the time. */
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

  /** Takes a token; returns whether there was one. */
  take(): boolean {
    const now = this.#now();
    const { burst, perSecond } = this.#limit;
    this.#left = Math.min(burst, this.#left + ((now - this.#since) / 1000) * perSecond);
    this.#since = now;
    return --this.#left >= 0;
  }
}
