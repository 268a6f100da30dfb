/**
 * How many seats a level would have liked over a period: the mean over time, how far it strayed, and the most (APF-14).
 *
 * @module
 */

/** How slowly the remembered demand falls, for each period. */
const KEPT = 0.977;

/** A number over time. Times are those of a steady counter, in ms. */
export class Demand {
  /** The present value. */
  value = 0;
  /** What is remembered of the demand: up at once, down slowly. */
  smoothed = 0;
  /** The most of the last period that has ended. */
  peak = 0;
  #most = 0;
  #began: number;
  #since: number;
  #sum = 0;
  #squares = 0;

  constructor(now: number) {
    this.#began = now;
    this.#since = now;
  }

  /** The value changes. */
  add(change: number, now: number): void {
    this.#pass(now);
    this.value += change;
    if (this.value > this.#most) this.#most = this.value;
  }

  /** Ends a period and begins the next one. */
  endPeriod(now: number): void {
    this.#pass(now);
    const elapsed = now - this.#began;
    const mean = elapsed > 0 ? this.#sum / elapsed : 0;
    const variance = elapsed > 0 ? this.#squares / elapsed - mean * mean : 0;
    const wanted = mean + Math.sqrt(Math.max(0, variance));
    this.smoothed = Math.max(wanted, KEPT * this.smoothed + (1 - KEPT) * wanted);
    this.peak = this.#most;
    this.#most = this.value;
    this.#sum = 0;
    this.#squares = 0;
    this.#began = now;
  }

  #pass(now: number): void {
    const elapsed = now - this.#since;
    if (elapsed <= 0) return;
    this.#sum += this.value * elapsed;
    this.#squares += this.value * this.value * elapsed;
    this.#since = now;
  }
}
