/**
 * One timer for all watchers: they are kept in slots by the half second in which they are due, and the timer is set for the first
 * slot that is taken. So ten thousand idle watchers cost one timer and nothing while they wait.
 *
 * @module
 */
import type { Clock, Timer } from "../../util/clock.ts";
import { Heap, type HeapItem } from "../../util/heap.ts";

/** An item with a due time. */
export interface Due {
  /** Its slot, -1 for none; set by the wheel. */
  slot: number;
  /** Called when it is due; it is in no slot then and may be added again. */
  due(now: number): void;
}

/** The items that are due in the half second before `number` half seconds have passed. */
interface Slot extends HeapItem {
  readonly number: number;
  readonly items: Set<Due>;
}

const SLOT_MILLIS = 500;

/** Bookmarks and the ends of watches may be late while a test moves the clock, and come once instead of often. */
const TIMER = { owner: "watch wheel", upkeep: true };

/** Calls items when they are due, with one timer. Times are those of the steady clock. */
export class WatchWheel {
  readonly #clock: Clock;
  readonly #slots = new Map<number, Slot>();
  readonly #order = new Heap<Slot>((a, b) => a.number < b.number);
  #timer: Timer | undefined;
  /** The slot that the timer is set for. */
  #armed = -1;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `item.due` at `at` or up to half a second later; replaces an earlier due time. */
  schedule(item: Due, at: number): void {
    this.#remove(item);
    item.slot = Math.max(slotOf(at), slotOf(this.#clock.steady())) + 1;
    this.#slotAt(item.slot).items.add(item);
    this.#arm();
  }

  /** Removes the due time of an item. */
  cancel(item: Due): void {
    this.#remove(item);
    this.#arm();
  }

  #slotAt(number: number): Slot {
    let slot = this.#slots.get(number);
    if (!slot) {
      slot = { number, items: new Set(), heapIndex: -1 };
      this.#slots.set(number, slot);
      this.#order.add(slot);
    }
    return slot;
  }

  #remove(item: Due): void {
    const slot = this.#slots.get(item.slot);
    item.slot = -1;
    slot?.items.delete(item);
    if (slot?.items.size === 0) this.#take(slot);
  }

  #take(slot: Slot): void {
    this.#slots.delete(slot.number);
    this.#order.delete(slot);
  }

  /** Sets the timer for the first slot, or clears it. */
  #arm(): void {
    const first = this.#order.first?.number ?? -1;
    if (first === this.#armed) return;
    this.#timer?.cancel();
    this.#armed = first;
    this.#timer = first < 0 ? undefined : this.#clock.after(this.#until(first), () => this.#tick(), TIMER);
  }

  #until(slot: number): number {
    return Math.max(0, slot * SLOT_MILLIS - this.#clock.steady());
  }

  #tick(): void {
    this.#armed = -1;
    const now = this.#clock.steady();
    for (const { number, items } of this.#takeUntil(slotOf(now))) {
      for (const item of items) {
        // An item that an earlier one has removed or moved is not due.
        if (item.slot !== number) continue;
        item.slot = -1;
        item.due(now);
      }
    }
    this.#arm();
  }

  #takeUntil(last: number): readonly Slot[] {
    const due: Slot[] = [];
    for (let slot = this.#order.first; slot && slot.number <= last; slot = this.#order.first) {
      this.#take(slot);
      due.push(slot);
    }
    return due;
  }
}

const slotOf = (at: number): number => Math.floor(at / SLOT_MILLIS);
