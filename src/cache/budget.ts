/** A holder of bytes that can release the oldest of them. */
export interface Holder {
  readonly bytes: number;
  /** Releases the oldest until at most `bytes` are left, if possible. */
  shrink(bytes: number): void;
}

/** The part of the budget that is freed when it is exceeded, so that this is rare. */
const SPARE = 1 / 16;

/** A limit of bytes that several holders share: when it is exceeded, the largest holder releases its oldest bytes. */
export class Budget {
  readonly #maxBytes: number;
  readonly #held = new Map<Holder, number>();
  /** The sum of the last counts of all holders. */
  #used = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Updates the count of a holder; one without bytes is removed. */
  count(holder: Holder): void {
    const { bytes } = holder;
    this.#used += bytes - (this.#held.get(holder) ?? 0);
    if (bytes === 0) this.#held.delete(holder);
    else this.#held.set(holder, bytes);
  }

  /** Removes a holder that is no longer in use. */
  forget(holder: Holder): void {
    this.#used -= this.#held.get(holder) ?? 0;
    this.#held.delete(holder);
  }

  /** Frees bytes when the limit is exceeded; constant time when it is not. */
  trim(): void {
    while (this.#used > this.#maxBytes) {
      const [largest, bytes] = [...this.#held].reduce((a, b) => (b[1] > a[1] ? b : a));
      largest.shrink(Math.max(0, bytes - (this.#used - this.#maxBytes * (1 - SPARE))));
      this.count(largest);
    }
  }
}
