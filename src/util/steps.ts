/**
 * Work in steps, for objects with many fields: other jobs may run between two steps.
 *
 * @module
 */
import type { Slice } from "./loop.ts";

/** Work in steps, which returns its result at the end. */
export type Steps<T> = Generator<void, T, void>;

/** The result of small work, or the steps of large work. No result has a function `next`. */
export type Work<T> = T | Steps<T>;

/** Whether some work is in steps. */
export const isSteps = <T>(work: Work<T>): work is Steps<T> =>
  typeof (work as Steps<T> | undefined | null)?.next === "function";

/** Continues with the result of some work: at once where it is small. */
export function andThen<T, U>(work: Work<T>, next: (value: T) => Work<U>): Work<U> {
  return isSteps(work) ? afterSteps(work, next) : next(work);
}

function* afterSteps<T, U>(steps: Steps<T>, next: (value: T) => Work<U>): Steps<U> {
  const value = yield* steps;
  yield;
  const rest = next(value);
  return isSteps(rest) ? yield* rest : rest;
}

/** Runs work that cannot be cut: as one step where it is large. */
export const whenLarge = <T>(isLarge: boolean, work: () => T): Work<T> => (isLarge ? inOneStep(work) : work());

/** Runs work for each item: with a step for each one where they are large, and at once where not. */
export function forEachOf<T>(items: Iterable<T>, areLarge: boolean, work: (item: T) => Work<void>): Work<void> {
  if (areLarge) return eachInSteps(items, work);
  for (const item of items) atOnce(work(item));
}

function* eachInSteps<T>(items: Iterable<T>, work: (item: T) => Work<void>): Steps<void> {
  for (const item of items) {
    const steps = work(item);
    if (isSteps(steps)) yield* steps;
    yield;
  }
}

/** How many members of a large object are one step. */
export const MEMBERS_A_STEP = 1000;

/** Runs work in one step. */
// oxlint-disable-next-line require-yield -- it is one step
export function* inOneStep<T>(work: () => T): Steps<T> {
  return work();
}

/** Runs all steps without a pause. */
export function atOnce<T>(steps: Work<T>): T {
  if (!isSteps(steps)) return steps;
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Runs steps in slices of the event loop; returns the result at once where one slice is enough. */
export function inSlices<T>(steps: Work<T>, slice: Slice): T | Promise<T> {
  if (!isSteps(steps)) return steps;
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    const pause = slice.pause();
    if (pause) return pause.then(() => inSlices(steps, slice));
  }
}
