/**
 * Evaluates the changes of lists that are built: one list after the other, in slices that all lists share. So a change that
 * concerns a thousand lists holds the event loop no longer than one that concerns a single list.
 *
 * @module
 */
import type { Loop, Slice } from "../../util/loop.ts";

/** A list with changes that were not evaluated. */
export interface Updatable {
  /** Evaluates changes until the slice is over; returns whether none is left. It does not throw. */
  update(slice: Slice): boolean;
}

/** See the head of this file. */
export class Updates {
  readonly #loop: Loop;
  readonly #waiting = new Set<Updatable>();
  #isRunning = false;

  constructor(loop: Loop) {
    this.#loop = loop;
  }

  /** Evaluates the changes of a list soon, and not within this call. */
  add(list: Updatable): void {
    this.#waiting.add(list);
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#loop.later(() => void this.#run());
  }

  async #run(): Promise<void> {
    const slice = this.#loop.slice();
    // A list that is added again is the last one.
    for (const list of this.#waiting) {
      this.#waiting.delete(list);
      if (!list.update(slice)) this.#waiting.add(list);
      const pause = slice.pause();
      if (pause) await pause;
    }
    this.#isRunning = false;
  }
}
