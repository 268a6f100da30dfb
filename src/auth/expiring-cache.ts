import { BoundedCache, type CacheBounds } from "../util/bounded-cache.ts";
import type { Clock } from "../util/clock.ts";

/** A bounded cache whose values expire. */
export class ExpiringCache<T> {
  readonly #clock: Pick<Clock, "steady">;
  readonly #cache: BoundedCache<{ readonly value: T; readonly expiresAt: number }>;

  /** @param weigh the bytes of a value */
  constructor(clock: Pick<Clock, "steady">, bounds: Omit<CacheBounds<T>, "weigh">, weigh: (value: T) => number) {
    this.#clock = clock;
    this.#cache = new BoundedCache({ ...bounds, weigh: ({ value }) => weigh(value) });
  }

  /** The value of a key; undefined where there is none, or it has expired. */
  get(key: string): T | undefined {
    const found = this.#cache.get(key);
    return found && found.expiresAt > this.#clock.steady() ? found.value : undefined;
  }

  /** Stores a value for some milliseconds. */
  set(key: string, value: T, millis: number): void {
    const now = this.#clock.steady();
    this.#cache.trim(({ expiresAt }) => expiresAt <= now);
    if (millis > 0) this.#cache.set(key, { value, expiresAt: now + millis });
  }
}
