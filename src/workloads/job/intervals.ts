/** Sets of completion indexes as the API writes them, such as `0-2,4` (WL-JOB-21). */

/** Consecutive indexes from `first` to `last`. */
export interface Interval {
  readonly first: number;
  readonly last: number;
}

/** Disjoint intervals in ascending order that do not touch each other. */
export type Intervals = readonly Interval[];

const MAX_DIGITS = 10;
const ZERO = 48;
const COMMA = 44;
const DASH = 45;

/**
 * Parses indexes below `completions`; parts that are no numbers are left out, and all parts after the first one that is too large.
 */
export function parseIntervals(text: string, completions: number): Intervals {
  if (text === "") return [];
  const parsed: Interval[] = [];
  for (let at = 0, end: number; at <= text.length; at = end + 1) {
    end = endOf(text, COMMA, at, text.length);
    const dash = endOf(text, DASH, at, end);
    const first = numberIn(text, at, dash);
    const to = dash < end ? numberIn(text, dash + 1, endOf(text, DASH, dash + 1, end)) : first;
    if (first === undefined || to === undefined) continue;
    if (first >= completions) break;
    const last = Math.min(to, completions - 1);
    if (last >= first) parsed.push({ first, last });
  }
  return joined(parsed);
}

/** The position of the next mark before `end`, or `end`. */
function endOf(text: string, mark: number, from: number, end: number): number {
  for (let at = from; at < end; at++) if (text.charCodeAt(at) === mark) return at;
  return end;
}

/** The number between two positions; undefined where there is none. */
function numberIn(text: string, from: number, end: number): number | undefined {
  if (end === from || end - from > MAX_DIGITS) return undefined;
  let number = 0;
  for (let at = from; at < end; at++) {
    const digit = text.charCodeAt(at) - ZERO;
    if (!(digit >= 0 && digit <= 9)) return undefined;
    number = number * 10 + digit;
  }
  return number;
}

/** Formats indexes: three or more consecutive ones as `a-b`, two as `a,b`. */
export const intervalsText = (intervals: Intervals): string => intervals.map(textOf).join(",");

function textOf({ first, last }: Interval): string {
  if (first === last) return `${first}`;
  return `${first}${last === first + 1 ? "," : "-"}${last}`;
}

/** Adds indexes, in any order. */
export function withIndexes(intervals: Intervals, indexes: Iterable<number>): Intervals {
  return union(intervals, joined(Array.from(indexes, (index) => ({ first: index, last: index }))));
}

/** Returns the union of both. */
export function union(a: Intervals, b: Intervals): Intervals {
  if (a.length === 0) return b;
  return b.length === 0 ? a : joined([...a, ...b]);
}

function joined(intervals: readonly Interval[]): Intervals {
  const merged: { first: number; last: number }[] = [];
  const isSorted = intervals.every(({ first }, i) => i === 0 || intervals[i - 1]!.first <= first);
  for (const { first, last } of isSorted ? intervals : intervals.toSorted((a, b) => a.first - b.first)) {
    const before = merged.at(-1);
    if (before && first <= before.last + 1) before.last = Math.max(before.last, last);
    else merged.push({ first, last });
  }
  return merged;
}

/** Returns the number of indexes. */
export function sizeOf(intervals: Intervals): number {
  let size = 0;
  for (const { first, last } of intervals) size += last - first + 1;
  return size;
}

/** Whether an index is in the set, by binary search. */
export function hasIndex(intervals: Intervals, index: number): boolean {
  let low = 0;
  let high = intervals.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (intervals[middle]!.last < index) low = middle + 1;
    else high = middle;
  }
  return low < intervals.length && intervals[low]!.first <= index;
}

/** Returns the number of common indexes. */
export function commonSize(a: Intervals, b: Intervals): number {
  let size = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    const [one, other] = [a[i]!, b[j]!];
    size += Math.max(0, Math.min(one.last, other.last) - Math.max(one.first, other.first) + 1);
    if (one.last <= other.last) i++;
    if (other.last <= one.last) j++;
  }
  return size;
}

/** Returns the lowest indexes below `completions` that are not in the set, at most `count` of them. */
export function firstFree(taken: Intervals, count: number, completions: number): readonly number[] {
  const free: number[] = [];
  let index = 0;
  for (const { first, last } of [...taken, { first: completions, last: completions }]) {
    for (; index < first && index < completions && free.length < count; index++) free.push(index);
    index = Math.max(index, last + 1);
  }
  return free;
}
