/**
 * Things that all have the same time: added, taken out again when they end by themselves, and told of when their time is
 * over. Adding and taking out cost the same however many there are; one timer serves all.
 *
 * @module
 */
import type { Clock, Timer } from "./clock.ts";
import { reportUncaught } from "./faults.ts";
import { PassingMap } from "./passing.ts";

/** What a set of deadlines is made of. */
export interface DeadlinesOptions<T> {
  readonly clock: Clock;
  /** How long each may take. */
  readonly millis: number;
  /** Who sets the timer, for people. */
  readonly owner: string;
  /** Called once for each that has not been taken out in its time; it has been by then. */
  readonly over: (item: T) => void;
}

/** Timers are not set closer than this: what is over is told of up to so much later, in ms. */
const GRAIN_MS = 250;

/** See the head of this file. */
export class Deadlines<T> implements Disposable {
  readonly #options: DeadlinesOptions<T>;
  /** Since when each is there; the oldest first. */
  readonly #since = new PassingMap<T, number>();
  #timer: Timer | undefined;

  constructor(options: DeadlinesOptions<T>) {
    this.#options = options;
  }

  /** Gives something its whole time, from now. */
  add(item: T): void {
    this.#since.delete(item);
    this.#since.set(item, this.#options.clock.steady());
    if (!this.#timer) this.#set(this.#options.millis);
  }

  /** Takes something out; whether it was there. */
  delete(item: T): boolean {
    return this.#since.delete(item);
  }

  /** Ends; nobody is told of anything any more. */
  [Symbol.dispose](): void {
    this.#since.clear();
    this.#timer?.cancel();
  }

  #set(millis: number): void {
    const { clock, owner } = this.#options;
    this.#timer = clock.after(Math.max(GRAIN_MS, millis), () => this.#look(), { owner, upkeep: true });
  }

  #look(): void {
    const { clock, millis, over } = this.#options;
    const now = clock.steady();
    for (const [item, since] of this.#since) {
      // What was told of before it may have taken it out, or given it its whole time again.
      if (this.#since.get(item) !== since) continue;
      if (since + millis > now) {
        this.#set(since + millis - now);
        return;
      }
      this.#since.delete(item);
      // One that fails keeps no other from being told.
      try {
        over(item);
      } catch (error) {
        reportUncaught(error);
      }
    }
    this.#timer = undefined;
    if (this.#since.size > 0) this.#set(millis);
  }
}
