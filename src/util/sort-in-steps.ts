import type { Steps } from "./steps.ts";

/** Items that are sorted at once, and moved at once. */
const RUN = 2048;

/**
 * Returns the items in order, equal ones as they stood; a merge sort whose steps take a few milliseconds however many there are.
 *
 * @param items changed meanwhile, and not used any more
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

/** Merges two runs that stand one behind the other. */
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
