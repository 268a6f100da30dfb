import { systemClock } from "./clock.ts";

/** Longest time on the event loop before others get a turn, in ms. */
const MOST_MS = 10;

/**
 * Keeps a loop from holding the event loop: it asks between two items whether others have waited long enough. What counts
 * is the time of the machine, also where the clock of a cluster stands still.
 */
export class TurnLimit {
  #began = systemClock.steady();

  /** Whether the turn has lasted long enough. */
  get isOver(): boolean {
    return systemClock.steady() - this.#began > MOST_MS;
  }

  /** Something to wait for when the turn has lasted long enough, and then another one begins; nothing before. */
  pause(): Promise<void> | undefined {
    if (!this.isOver) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        this.#began = systemClock.steady();
        resolve();
      });
    });
  }
}
