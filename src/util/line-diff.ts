/**
 * Compares two texts line by line: a shortest edit script (Myers 1986) and its hunks for a unified diff.
 *
 * @module
 */

import { atOnce, type Steps } from "./steps.ts";

/** A line that is equal, removed or added. */
export interface DiffLine {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

/** Changed lines with their context; `from` and `to` are the numbers of the first lines, counted from 1. */
export interface Hunk {
  readonly from: number;
  readonly to: number;
  readonly lines: readonly DiffLine[];
}

/** Texts with more edits are shown as replaced, which limits the time. */
const MAX_EDITS = 1000;

/** Returns every line of both texts once, in order. */
export const diffLines = (before: readonly string[], after: readonly string[]): DiffLine[] =>
  atOnce(diffSteps(before, after));

/** Returns the same as {@link diffLines}, in steps. */
export function* diffSteps(before: readonly string[], after: readonly string[]): Steps<DiffLine[]> {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const middle = (lines: readonly string[]): readonly string[] => lines.slice(head, lines.length - tail);
  return [
    ...before.slice(0, head).map((text): DiffLine => ({ sign: " ", text })),
    ...(yield* editScript(middle(before), middle(after))),
    ...before.slice(before.length - tail).map((text): DiffLine => ({ sign: " ", text })),
  ];
}

/**
 * Computes, for each number of edits, the furthest point on each diagonal (k = x - y), until both ends are reached; then walks
 * back over the recorded points.
 */
function* editScript(a: readonly string[], b: readonly string[]): Steps<DiffLine[]> {
  const most = Math.min(a.length + b.length, MAX_EDITS);
  const rounds: Int32Array[] = [];
  const reach = new Int32Array(2 * most + 3);
  const middle = most + 1;
  for (let edits = 0; edits <= most; edits++) {
    yield;
    rounds.push(reach.slice());
    for (let k = -edits; k <= edits; k += 2) {
      let x = goesDown(reach, middle, k, edits) ? reach[middle + k + 1]! : reach[middle + k - 1]! + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      reach[middle + k] = x;
      if (x >= a.length && x - k >= b.length) return walkBack(a, b, rounds, middle);
    }
  }
  return [...a.map((text): DiffLine => ({ sign: "-", text })), ...b.map((text): DiffLine => ({ sign: "+", text }))];
}

/** Whether the path to diagonal k comes from the diagonal above, by adding a line. */
const goesDown = (reach: Int32Array, middle: number, k: number, edits: number): boolean =>
  k === -edits || (k !== edits && reach[middle + k - 1]! < reach[middle + k + 1]!);

function walkBack(
  a: readonly string[],
  b: readonly string[],
  rounds: readonly Int32Array[],
  middle: number,
): DiffLine[] {
  const lines: DiffLine[] = [];
  let [x, y] = [a.length, b.length];
  for (let edits = rounds.length - 1; x > 0 || y > 0; edits--) {
    const reach = rounds[edits]!;
    const k = x - y;
    const down = goesDown(reach, middle, k, edits);
    const fromX = edits === 0 ? 0 : reach[middle + (down ? k + 1 : k - 1)]!;
    const fromY = edits === 0 ? 0 : fromX - (down ? k + 1 : k - 1);
    for (; x > fromX && y > fromY; y--) lines.push({ sign: " ", text: a[--x]! });
    if (edits === 0) break;
    if (down) lines.push({ sign: "+", text: b[--y]! });
    else lines.push({ sign: "-", text: a[--x]! });
  }
  return lines.toReversed();
}

/** Returns the changed parts with at most `context` lines around each; adjacent parts are one hunk. */
export function hunksOf(lines: readonly DiffLine[], context = 3): Hunk[] {
  const hunks: Hunk[] = [];
  let [from, to, quiet] = [1, 1, 0];
  let open: { from: number; to: number; lines: DiffLine[] } | undefined;
  const recent: DiffLine[] = [];
  for (const line of lines) {
    if (line.sign === " ") {
      quiet += 1;
      if (open && quiet > 2 * context) {
        open.lines.splice(open.lines.length - context);
        open = undefined;
      }
    } else {
      quiet = 0;
      if (!open) {
        open = { from: from - recent.length, to: to - recent.length, lines: [...recent] };
        hunks.push(open);
      }
    }
    open?.lines.push(line);
    if (line.sign !== "+") from += 1;
    if (line.sign !== "-") to += 1;
    recent.push(line);
    if (recent.length > context) recent.shift();
  }
  if (open && quiet > context) open.lines.splice(open.lines.length - (quiet - context));
  return hunks;
}
