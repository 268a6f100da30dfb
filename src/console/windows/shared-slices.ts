/**
 * Slices of the event loop that all lists and all streams share: one evaluates its changes, or makes its message, after the other.
 * So a change that concerns a thousand of them holds the event loop no longer than one that concerns a single one.
 *
 * @module
 */
import type { Loop, Slice } from "../../util/loop.ts";

/** Does a part of some work, until the slice is over; returns whether nothing is left. It does not throw. */
export type SliceJob = (slice: Slice) => boolean;

/** See the head of this file. */
export class SharedSlices {
  readonly #loop: Loop;
  readonly #waiting = new Set<SliceJob>();
  #isRunning = false;

  constructor(loop: Loop) {
    this.#loop = loop;
  }

  /** Runs a job soon, and not within this call; one that waits already stays in its place. */
  add(job: SliceJob): void {
    this.#waiting.add(job);
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#loop.later(() => void this.#run());
  }

  /** Resolves when the caller may do a piece of work, which is short. */
  next(): Promise<void> {
    return new Promise((resolve) =>
      this.add(() => {
        resolve();
        return true;
      }),
    );
  }

  async #run(): Promise<void> {
    const slice = this.#loop.slice();
    // A job that is added again is the last one.
    for (const job of this.#waiting) {
      this.#waiting.delete(job);
      if (!job(slice)) this.#waiting.add(job);
      // Who was called by `next` works now.
      await Promise.resolve();
      const pause = slice.pause();
      if (pause) await pause;
    }
    this.#isRunning = false;
  }
}
