/**
 * A bound on how many calls are under way at once; others wait in the order in which they came.
 *
 * @module
 */

/** See the head of this file. */
export class Seats {
  #free: number;
  readonly #waiting = new Set<() => void>();

  /** @param most how many may be taken at once */
  constructor(most: number) {
    this.#free = most;
  }

  /** Takes one, when one is free; rejects with the signal's reason where that comes first. */
  take(signal: AbortSignal): Promise<void> {
    if (this.#free > 0 && !signal.aborted) {
      this.#free--;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.#waiting.delete(begin);
        reject(signal.reason as Error);
      };
      const begin = (): void => {
        signal.removeEventListener("abort", giveUp);
        resolve();
      };
      if (signal.aborted) return giveUp();
      this.#waiting.add(begin);
      signal.addEventListener("abort", giveUp, { once: true });
    });
  }

  /** Gives one back: to whoever has waited for longest. */
  giveBack(): void {
    const [first] = this.#waiting;
    if (first === undefined) {
      this.#free++;
      return;
    }
    this.#waiting.delete(first);
    first();
  }
}
