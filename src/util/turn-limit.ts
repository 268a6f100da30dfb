import { systemClock } from "./clock.ts";
import { longWaiting, nextTurn } from "./turns.ts";

/** Longest time on the event loop before others get a turn, in ms. */
const MOST_MS = 10;
/** The same while more than one job waits for its next turn: what all do together holds nobody up. */
const CROWDED_MS = 3;

/** How many have asked that no way is given. */
let unyielding = 0;

/**
 * Until this is disposed of no loop of this process gives way by a {@link TurnLimit}. For a cluster whose time stands still
 * and that nobody reaches from outside: what it does follows from what it is asked, and not from how fast the machine is.
 */
export function givingNoWay(): Disposable {
  let isHeld = true;
  unyielding++;
  return {
    [Symbol.dispose]() {
      if (isHeld) unyielding--;
      isHeld = false;
    },
  };
}

/**
 * Keeps a loop from holding the event loop: it asks between two items whether others have waited long enough. What counts
 * is the time of the machine, also where the clock of a cluster stands still.
 */
export class TurnLimit {
  #began = systemClock.steady();

  /** Whether the turn has lasted long enough. */
  get isOver(): boolean {
    if (unyielding > 0) return false;
    return systemClock.steady() - this.#began > (longWaiting() > 0 ? CROWDED_MS : MOST_MS);
  }

  /** Something to wait for when the turn has lasted long enough, and then another one begins; nothing before. */
  pause(): Promise<void> | undefined {
    if (!this.isOver) return undefined;
    return nextTurn().then(() => {
      this.#began = systemClock.steady();
    });
  }
}
