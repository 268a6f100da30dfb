/**
 * A set of items with the same timeout. Adding and deleting take constant time, and one timer serves all items.
 *
 * @module
 */
import type { Clock, Timer } from "./clock.ts";
import { reportUncaught } from "./faults.ts";
import { ShortLivedMap } from "./short-lived.ts";

/** What a set of deadlines is built from. */
export interface DeadlinesOptions<T> {
  readonly clock: Clock;
  /** The timeout of each item. */
  readonly millis: number;
  /** The owner of the timer, for people. */
  readonly owner: string;
  /** Called once for each item that has expired and has been deleted from the set. */
  readonly over: (item: T) => void;
}

/** The shortest timer in ms; `over` is called up to so much late. */
const MIN_TIMER_MS = 250;

/** See the head of this file. */
export class Deadlines<T> implements Disposable {
  readonly #options: DeadlinesOptions<T>;
  /** When each item was added; the oldest item first. */
  readonly #since = new ShortLivedMap<T, number>();
  #timer: Timer | undefined;

  constructor(options: DeadlinesOptions<T>) {
    this.#options = options;
  }

  /** Adds an item, or restarts its timeout. */
  add(item: T): void {
    this.#since.delete(item);
    this.#since.set(item, this.#options.clock.steady());
    if (!this.#timer) this.#set(this.#options.millis);
  }

  /** Deletes an item; returns whether it was there. */
  delete(item: T): boolean {
    return this.#since.delete(item);
  }

  /** Deletes all items without a call of `over`. */
  [Symbol.dispose](): void {
    this.#since.clear();
    this.#timer?.cancel();
  }

  #set(millis: number): void {
    const { clock, owner } = this.#options;
    this.#timer = clock.after(Math.max(MIN_TIMER_MS, millis), () => this.#expire(), { owner, upkeep: true });
  }

  #expire(): void {
    const { clock, millis, over } = this.#options;
    const now = clock.steady();
    for (const [item, since] of this.#since) {
      // An earlier call of `over` may have deleted the item, or restarted its timeout.
      if (this.#since.get(item) !== since) continue;
      if (since + millis > now) {
        this.#set(since + millis - now);
        return;
      }
      this.#since.delete(item);
      // A call that fails does not prevent the others.
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
