/**
 * How long somebody who was refused is asked to wait: longer while a level keeps refusing, less again when it does not
 * (APF-20).
 *
 * @module
 */

const LONGEST = 32;
/** So many refusals a second, over the time that people are asked to wait, are too many. */
const MANY = 3;

/** Seconds to wait for one level. */
export class RetryAfter {
  /** What is asked for now, 1 to 32. */
  seconds = 1;
  /** Refusals in each second, by its place in a ring. */
  readonly #refused = new Uint32Array(LONGEST + 1);
  #second = 0;
  #grownAt = 0;

  /** A request is refused, in a second of a steady counter. */
  refused(second: number): void {
    if (second > this.#second) {
      const before = this.#second;
      this.#second = second;
      // What the ring has of seconds that have passed without a refusal is old.
      const first = Math.max(before + 1, second - LONGEST);
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
    if (count >= MANY * this.seconds && this.#second - this.#grownAt >= this.seconds) {
      this.seconds = Math.min(LONGEST, this.seconds * 2);
      this.#grownAt = this.#second;
    } else if (count < this.seconds && this.seconds > 1) this.seconds--;
  }
}
