/**
 * The one timer of all watchers: they are kept in slots by the half second in which something is due for them, so ten
 * thousand idle watchers cost one timer and nothing while they wait.
 *
 * @module
 */
import type { Clock } from "../../util/clock.ts";

/** Something that is due from time to time. */
export interface Due {
  /** The slot it waits in, -1 for none; kept by the wheel. */
  slot: number;
  /** Called when its time has come; it is in no slot then and may be put into another. */
  due(now: number): void;
}

const SLOT_MILLIS = 500;

/** See the head of this file. Times are those of the steady clock. */
export class WatchWheel {
  readonly #clock: Clock;
  readonly #slots = new Map<number, Set<Due>>();
  #armed = false;
  #next: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#next = slotOf(clock.steady());
  }

  /** Calls `item.due` at `at` or up to half a second later; forgets an earlier appointment. */
  schedule(item: Due, at: number): void {
    this.cancel(item);
    const slot = Math.max(slotOf(at) + 1, slotOf(this.#clock.steady()) + 1);
    let items = this.#slots.get(slot);
    if (!items) this.#slots.set(slot, (items = new Set()));
    items.add(item);
    item.slot = slot;
    // A wheel that stood still begins anew with the present.
    if (!this.#armed && this.#slots.size === 1 && items.size === 1)
      this.#next = Math.max(this.#next, slotOf(this.#clock.steady()));
    this.#arm();
  }

  /** Forgets the appointment of an item. */
  cancel(item: Due): void {
    if (item.slot < 0) return;
    const items = this.#slots.get(item.slot);
    items?.delete(item);
    if (items?.size === 0) this.#slots.delete(item.slot);
    item.slot = -1;
  }

  #arm(): void {
    if (this.#armed) return;
    this.#armed = true;
    const wait = this.#next * SLOT_MILLIS - this.#clock.steady();
    this.#clock.after(Math.max(0, wait), () => this.#tick());
  }

  #tick(): void {
    const now = this.#clock.steady();
    this.#armed = false;
    const [first, last] = [this.#next, slotOf(now)];
    // The next turn begins where this one ends, however long it takes: no slot is passed over.
    this.#next = last + 1;
    for (let slot = first; slot <= last; slot++) {
      const items = this.#slots.get(slot);
      if (!items) continue;
      this.#slots.delete(slot);
      for (const item of items) {
        item.slot = -1;
        item.due(now);
      }
    }
    if (this.#slots.size > 0) this.#arm();
  }
}

const slotOf = (at: number): number => Math.floor(at / SLOT_MILLIS);
