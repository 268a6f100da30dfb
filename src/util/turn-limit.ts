import { systemClock } from "./clock.ts";

/** Longest time on the event loop before others get a turn, in ms. */
const MOST_MS = 10;
/** The same while more than one job waits for its next turn: what all do together holds nobody up. */
const CROWDED_MS = 3;

/** Jobs that wait for their next turn, the first for longest. */
const waiting: (() => void)[] = [];
let isServing = false;

/** Gives one job its turn in each pass of the event loop, so that what comes over sockets waits for one of them and not for all. */
function serve(): void {
  waiting.shift()?.();
  isServing = waiting.length > 0;
  // From here it runs in the next pass, after what has come meanwhile.
  if (isServing) setImmediate(serve);
}

/** Resolves in a turn of its own: one of those who wait for theirs goes on in each pass of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (isServing) return;
    isServing = true;
    setImmediate(serve);
  });
}

/**
 * Keeps a loop from holding the event loop: it asks between two items whether others have waited long enough. What counts
 * is the time of the machine, also where the clock of a cluster stands still.
 */
export class TurnLimit {
  #began = systemClock.steady();

  /** Whether the turn has lasted long enough. */
  get isOver(): boolean {
    return systemClock.steady() - this.#began > (waiting.length > 0 ? CROWDED_MS : MOST_MS);
  }

  /** Something to wait for when the turn has lasted long enough, and then another one begins; nothing before. */
  pause(): Promise<void> | undefined {
    if (!this.isOver) return undefined;
    return nextTurn().then(() => {
      this.#began = systemClock.steady();
    });
  }
}
