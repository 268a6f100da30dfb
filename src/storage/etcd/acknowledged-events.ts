import type { StoreEvent } from "../contract.ts";
import { ShortLivedMap } from "../../util/short-lived.ts";

/**
 * Events of our own transactions that etcd has acknowledged, until all events before them are delivered.
 *
 * The response to a write contains all that its event on the watch will contain. So the event is delivered without the watch
 * where no revision before it is missing; a missing one is a write of another client, which the watch delivers.
 */
export class AcknowledgedEvents {
  readonly #events = new ShortLivedMap<number, readonly StoreEvent[]>();

  /** Adds all events of a revision. */
  add(revision: number, events: readonly StoreEvent[]): void {
    this.#events.set(revision, events);
  }

  /** Removes and returns the events that follow `revision` without a gap, in order. */
  takeAfter(revision: number): StoreEvent[] {
    const events: StoreEvent[] = [];
    for (let next = revision + 1; ; next++) {
      const found = this.#events.get(next);
      if (!found) return events;
      this.#events.delete(next);
      events.push(...found);
    }
  }

  /** Removes the events up to `revision`: the watch has delivered them. */
  forget(revision: number): void {
    if (this.#events.size === 0) return;
    for (const known of this.#events.keys()) if (known <= revision) this.#events.delete(known);
  }
}
