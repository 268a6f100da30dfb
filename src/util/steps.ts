/**
 * Work in steps, for objects with many fields: whoever drives it may let others go on between two of them.
 *
 * @module
 */
import type { Slice } from "./loop.ts";

/** Work that gives way between its steps and returns what comes of it. */
export type Steps<T> = Generator<void, T, void>;

/** What comes of some work: it is there where the work was small, and comes in steps where it was not. No value has a function `next`. */
export type Work<T> = T | Steps<T>;

/** Whether some work comes in steps. */
export const isSteps = <T>(work: Work<T>): work is Steps<T> =>
  typeof (work as Steps<T> | undefined | null)?.next === "function";

/** Goes on with what comes of some work: at once where it is there. */
export function andThen<T, U>(work: Work<T>, next: (value: T) => Work<U>): Work<U> {
  return isSteps(work) ? afterSteps(work, next) : next(work);
}

function* afterSteps<T, U>(steps: Steps<T>, next: (value: T) => Work<U>): Steps<U> {
  const value = yield* steps;
  yield;
  const rest = next(value);
  return isSteps(rest) ? yield* rest : rest;
}

/** The result of some work that nobody can cut: where it is large a step ends with it. */
export const whenLarge = <T>(isLarge: boolean, work: () => T): Work<T> => (isLarge ? inOneStep(work) : work());

/** Does some work with each item; gives way after each of them where they are large, and does it at once where not. */
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

/** After so many members of something large a step ends. */
export const MEMBERS_A_STEP = 1000;

/** Work that is done in one step. */
// oxlint-disable-next-line require-yield -- it gives way to nobody
export function* inOneStep<T>(work: () => T): Steps<T> {
  return work();
}

/** Does all steps one after the other. */
export function atOnce<T>(steps: Work<T>): T {
  if (!isSteps(steps)) return steps;
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Does steps until the turn has lasted long enough, and then goes on in another one; at once where that is soon enough. */
export function inTurns<T>(steps: Work<T>, limit: Slice): T | Promise<T> {
  if (!isSteps(steps)) return steps;
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    const pause = limit.pause();
    if (pause) return pause.then(() => inTurns(steps, limit));
  }
}
