/**
 * Bytes that several holders share: when there are too many, the largest one gives up what it needs least.
 *
 * @module
 */

/** Something that holds bytes and can let go of the oldest of them. */
export interface Holder {
  /** What it holds now. */
  readonly bytes: number;
  /** Lets go of the oldest until at most `bytes` are left, as far as it can. */
  shrink(bytes: number): void;
}

/** Part of the bytes that is made free when there are too many, so that it is rare. */
const SPARE = 1 / 16;

/** See the head of this file. */
export class Budget {
  readonly #most: number;
  readonly #held = new Map<Holder, number>();
  /** What all holders together held when they were last counted. */
  #used = 0;

  /** @param most bytes that all holders together may hold */
  constructor(most: number) {
    this.#most = most;
  }

  /** Takes note of what a holder holds now; one that holds nothing is forgotten. */
  count(holder: Holder): void {
    const { bytes } = holder;
    this.#used += bytes - (this.#held.get(holder) ?? 0);
    if (bytes === 0) this.#held.delete(holder);
    else this.#held.set(holder, bytes);
  }

  /** Forgets a holder that is no longer in use, whatever it holds. */
  forget(holder: Holder): void {
    this.#used -= this.#held.get(holder) ?? 0;
    this.#held.delete(holder);
  }

  /** Makes room when there are too many bytes; constant time when there are not. */
  trim(): void {
    while (this.#used > this.#most) {
      const [largest, bytes] = [...this.#held].reduce((a, b) => (b[1] > a[1] ? b : a));
      largest.shrink(Math.max(0, bytes - (this.#used - this.#most * (1 - SPARE))));
      this.count(largest);
    }
  }
}
