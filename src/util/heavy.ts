/**
 * Work that cannot be cut into steps: where it would hold the event loop for too long it is not begun.
 *
 * A caller that can have a job done in a thread runs it with {@link sparing}; code that is about to do something that cannot be
 * interrupted calls {@link mayTake} before. Outside of such a job nothing is refused.
 *
 * @module
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { systemClock } from "./clock.ts";
import type { Steps } from "./steps.ts";

/** Says that a job is to be done in a thread, from its beginning. */
export class TooHeavy extends Error {
  constructor() {
    super("expected work that is soon done, got some that is better done in a thread");
  }
}

/** The most that one piece of work may take, in units of some 10 ns. */
const MAX_UNITS = 1_000_000;

/** The most that one step may have lasted when it meets such a piece, in ms. */
const MAX_STEP_MS = 40;

/** The step that runs now and can be done in a thread; none where nothing can take the work over. */
const steps = new AsyncLocalStorage<{ began: number | undefined }>();

/**
 * Checks whether a piece of work of so many units, each some 10 ns at worst, may be done here and now.
 *
 * @throws TooHeavy where it is too much, or the step has lasted too long already
 */
export function mayTake(units: number): void {
  const began = steps.getStore()?.began;
  if (began === undefined) return;
  if (units > MAX_UNITS || systemClock.steady() - began > MAX_STEP_MS) throw new TooHeavy();
}

/** The same steps; they throw TooHeavy where one of them would take too long. */
export function* sparing<T>(work: Steps<T>): Steps<T> {
  for (;;) {
    const one: { began: number | undefined } = { began: systemClock.steady() };
    let step: IteratorResult<void, T>;
    try {
      step = steps.run(one, () => work.next());
    } finally {
      // What the step has left to do later is not spared.
      one.began = undefined;
    }
    if (step.done) return step.value;
    yield;
  }
}
