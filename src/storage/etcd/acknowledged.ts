import type { StoreEvent } from "../contract.ts";
import { PassingMap } from "../../util/passing.ts";

/**
 * Events of our own transactions that etcd has acknowledged, until everything before them has been handed over too.
 *
 * What the answer to a write says is all that its event on the watch will say. So where no revision is missing before it, the
 * watch need not be waited for; where one is, somebody else has written it, and the watch brings it.
 */
export class Acknowledged {
  readonly #events = new PassingMap<number, readonly StoreEvent[]>();

  /** Takes all events of a revision. */
  add(revision: number, events: readonly StoreEvent[]): void {
    this.#events.set(revision, events);
  }

  /** Takes those that follow `revision` without a gap, in order. */
  takeAfter(revision: number): StoreEvent[] {
    const events: StoreEvent[] = [];
    for (let next = revision + 1; ; next++) {
      const found = this.#events.get(next);
      if (!found) return events;
      this.#events.delete(next);
      events.push(...found);
    }
  }

  /** Forgets those up to `revision`: they have come on the watch. */
  forget(revision: number): void {
    if (this.#events.size === 0) return;
    for (const known of this.#events.keys()) if (known <= revision) this.#events.delete(known);
  }
}
