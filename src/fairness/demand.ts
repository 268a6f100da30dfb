/**
 * The demand of a level for seats in a period: its mean over time, its standard deviation, and its maximum (APF-14).
 *
 * @module
 */

/** The part of the smoothed demand that remains after a period (`seatDemandSmoothingCoefficient`). */
const SMOOTHING = 0.977;

/** The demand over time. Times are those of a steady counter, in ms. */
export class Demand {
  /** The current value. */
  value = 0;
  /** The smoothed demand, which rises at once and falls slowly. */
  smoothed = 0;
  /** The maximum of the last period that has ended. */
  peak = 0;
  #max = 0;
  #began: number;
  #since: number;
  #sum = 0;
  #squares = 0;

  constructor(now: number) {
    this.#began = now;
    this.#since = now;
  }

  /** Changes the value. */
  add(change: number, now: number): void {
    this.#integrate(now);
    this.value += change;
    if (this.value > this.#max) this.#max = this.value;
  }

  /** Ends a period and begins the next one. */
  endPeriod(now: number): void {
    this.#integrate(now);
    const elapsed = now - this.#began;
    const mean = elapsed > 0 ? this.#sum / elapsed : 0;
    const variance = elapsed > 0 ? this.#squares / elapsed - mean * mean : 0;
    const demand = mean + Math.sqrt(Math.max(0, variance));
    this.smoothed = Math.max(demand, SMOOTHING * this.smoothed + (1 - SMOOTHING) * demand);
    this.peak = this.#max;
    this.#max = this.value;
    this.#sum = 0;
    this.#squares = 0;
    this.#began = now;
  }

  #integrate(now: number): void {
    const elapsed = now - this.#since;
    if (elapsed <= 0) return;
    this.#sum += this.value * elapsed;
    this.#squares += this.value * this.value * elapsed;
    this.#since = now;
  }
}
