import type { Steps } from "./steps.ts";

/** How many items are sorted in one step, and merged in one step. */
const RUN = 2048;

/**
 * Returns the items in order, equal ones in their old order; a merge sort whose steps take a few milliseconds however many items there are.
 *
 * @param items is changed, and must not be used any more
 */
export function* sortInSteps<T>(items: T[], compare: (a: T, b: T) => number): Steps<T[]> {
  for (let start = 0; start < items.length; start += RUN) {
    const run = items.slice(start, start + RUN).sort(compare);
    for (let i = 0; i < run.length; i++) items[start + i] = run[i]!;
    yield;
  }
  let [from, to] = [items, items.slice()];
  for (let width = RUN; width < items.length; width *= 2) {
    for (let start = 0; start < items.length; start += 2 * width) yield* merge(from, to, { start, width }, compare);
    [from, to] = [to, from];
  }
  return from;
}

/** Merges two adjacent runs. */
function* merge<T>(
  from: readonly T[],
  to: T[],
  { start, width }: { readonly start: number; readonly width: number },
  compare: (a: T, b: T) => number,
): Steps<void> {
  const middle = Math.min(start + width, from.length);
  const end = Math.min(middle + width, from.length);
  let [left, right] = [start, middle];
  for (let at = start; at < end; at++) {
    const isLeft = left < middle && (right >= end || compare(from[left]!, from[right]!) <= 0);
    to[at] = from[isLeft ? left++ : right++]!;
    if (at % RUN === 0) yield;
  }
}
