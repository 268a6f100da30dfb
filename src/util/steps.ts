/**
 * Work in steps, for objects with many fields: whoever drives it may let others go on between two of them.
 *
 * @module
 */
import type { TurnLimit } from "./turn-limit.ts";

/** Work that gives way between its steps and returns what comes of it. */
export type Steps<T> = Generator<void, T, void>;

/** After so many members of something large a step ends. */
export const MEMBERS_A_STEP = 1000;

/** Work that is not cut, as one step. */
export function* oneStep<T>(work: () => T): Steps<T> {
  const result = work();
  yield;
  return result;
}

/** Does all steps one after the other. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Does steps until the turn has lasted long enough, and then goes on in another one; at once where that is soon enough. */
export function inTurns<T>(steps: Steps<T>, limit: TurnLimit): T | Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    const pause = limit.pause();
    if (pause) return pause.then(() => inTurns(steps, limit));
  }
}
