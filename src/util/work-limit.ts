/**
 * A limit on work that cannot be cut into steps, and would block the event loop for too long.
 *
 * A caller that can run a job in a worker thread runs it with {@link withWorkLimit}. Code in that job calls {@link checkWork} before
 * work that cannot be interrupted. Outside of such a job nothing is refused.
 *
 * @module
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { systemClock } from "./clock.ts";
import type { Steps } from "./steps.ts";

/** The error of a job that must run in a worker thread, from its beginning. */
export class WorkTooLong extends Error {
  constructor() {
    super("expected short work, got some that needs a worker thread");
  }
}

/** The limit of one piece of work, in units of some 10 ns. */
const MAX_UNITS = 1_000_000;

/** How long a step may have lasted before such a piece, in ms. */
const MAX_STEP_MS = 40;

/** The running step of a job that can run in a worker thread. */
const steps = new AsyncLocalStorage<{ began: number | undefined }>();

/**
 * Checks whether a piece of work of so many units, each at most some 10 ns, may run on this thread.
 *
 * @throws WorkTooLong where it is too long, or the step has lasted too long already
 */
export function checkWork(units: number): void {
  const began = steps.getStore()?.began;
  if (began === undefined) return;
  if (units > MAX_UNITS || systemClock.steady() - began > MAX_STEP_MS) throw new WorkTooLong();
}

/** Runs steps with the limit: they throw {@link WorkTooLong} where one of them would take too long. */
export function* withWorkLimit<T>(work: Steps<T>): Steps<T> {
  for (;;) {
    const current: { began: number | undefined } = { began: systemClock.steady() };
    let step: IteratorResult<void, T>;
    try {
      step = steps.run(current, () => work.next());
    } finally {
      // Callbacks that the step has registered run without the limit.
      current.began = undefined;
    }
    if (step.done) return step.value;
    yield;
  }
}
