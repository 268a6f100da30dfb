/**
 * The `Retry-After` of refused requests: it grows while a level keeps refusing, and falls again afterwards (APF-20).
 *
 * @module
 */

const MAX_SECONDS = 32;
/** The rate of refusals per second from which the value grows. */
const MAX_REFUSALS_PER_SECOND = 3;

/** The `Retry-After` of one level. */
export class RetryAfter {
  /** The current value, 1 to 32. */
  seconds = 1;
  /** A ring of the refusals of each second. */
  readonly #refused = new Uint32Array(MAX_SECONDS + 1);
  #second = 0;
  #grownAt = 0;

  /** Counts a refusal in a second of a steady counter. */
  refused(second: number): void {
    if (second > this.#second) {
      const before = this.#second;
      this.#second = second;
      // Entries of seconds without a refusal are still those of earlier seconds.
      const first = Math.max(before + 1, second - MAX_SECONDS);
      for (let at = first; at <= second; at++) this.#refused[at % this.#refused.length] = 0;
      this.#adjust();
    }
    this.#refused[this.#second % this.#refused.length]!++;
  }

  #adjust(): void {
    let count = 0;
    for (let back = 1; back <= this.seconds; back++) {
      const at = this.#second - back;
      if (at >= 0) count += this.#refused[at % this.#refused.length]!;
    }
    if (count >= MAX_REFUSALS_PER_SECOND * this.seconds && this.#second - this.#grownAt >= this.seconds) {
      this.seconds = Math.min(MAX_SECONDS, this.seconds * 2);
      this.#grownAt = this.#second;
    } else if (count < this.seconds && this.seconds > 1) this.seconds--;
  }
}
