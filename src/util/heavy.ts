/**
 * Work that cannot be cut into steps: where it would hold the event loop for too long it is not begun.
 *
 * Whoever can have a job done beside the event loop runs it with {@link sparing}; what is about to do something that
 * cannot be interrupted asks {@link mayTake} before. Outside of such a job nothing is refused.
 *
 * @module
 */
import { systemClock } from "./clock.ts";
import type { Steps } from "./steps.ts";

/** Says that a job is to be done beside the event loop, from its beginning. */
export class TooHeavy extends Error {
  constructor() {
    super("expected work that is soon done, got some that is better done beside the event loop");
  }
}

/** The most that one piece of work may take, in units of some 10 ns. */
const MOST_UNITS = 1_000_000;

/** The most that one step may have lasted when it meets such a piece, in ms. */
const MOST_MS = 40;

/** When the step began that is to be spared; undefined where nobody can take the work over. */
let began: number | undefined;

/**
 * Asks whether a piece of work of so many units, each some 10 ns at worst, may be done here and now.
 *
 * @throws TooHeavy where it is too much, or too much was done in this step already
 */
export function mayTake(units: number): void {
  if (began === undefined) return;
  if (units > MOST_UNITS || systemClock.steady() - began > MOST_MS) throw new TooHeavy();
}

/** The same steps; they throw TooHeavy where one of them would take too long. */
export function* sparing<T>(steps: Steps<T>): Steps<T> {
  for (;;) {
    began = systemClock.steady();
    let step: IteratorResult<void, T>;
    try {
      step = steps.next();
    } finally {
      began = undefined;
    }
    if (step.done) return step.value;
    yield;
  }
}
