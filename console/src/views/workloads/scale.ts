/**
 * The axis of a time line: which times it shows, how it is moved and enlarged, and its marks.
 *
 * @module
 */

/** The times that are shown, in milliseconds since the epoch. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** The shortest and the longest range, in milliseconds. */
export const MIN_RANGE = 1_000;
export const MAX_RANGE = 366 * 24 * 3_600_000;

/** Returns the range made smaller (factor below 1) or larger around a time, which keeps its position. */
export function zoomed({ from, to }: Range, factor: number, around: number): Range {
  const length = Math.min(MAX_RANGE, Math.max(MIN_RANGE, (to - from) * factor));
  const share = to === from ? 0.5 : (around - from) / (to - from);
  const start = around - share * length;
  return { from: start, to: start + length };
}

/** Returns the range moved by a share of its length. */
export function moved({ from, to }: Range, share: number): Range {
  const by = (to - from) * share;
  return { from: from + by, to: to + by };
}

/** Returns the position of a time in percent of the width; below 0 and above 100 are outside. */
export const percentOf = ({ from, to }: Range, time: number): number => ((time - from) / Math.max(1, to - from)) * 100;

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The distances between marks. */
const STEPS = [
  SECOND,
  2 * SECOND,
  5 * SECOND,
  10 * SECOND,
  15 * SECOND,
  30 * SECOND,
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  7 * DAY,
  14 * DAY,
  30 * DAY,
  90 * DAY,
];

/** A mark of the axis. */
export interface Tick {
  readonly time: number;
  /** `14:05`, `14:05:30` or `12 Mar`, in the zone of the caller. */
  readonly text: string;
}

/**
 * Returns marks at round times, at most `most` of them.
 *
 * @param offsetMillis what is added to UTC for the time that clocks show
 */
export function ticksOf({ from, to }: Range, most: number, offsetMillis = 0): readonly Tick[] {
  const step = STEPS.find((one) => (to - from) / one <= most) ?? (to - from) / most;
  const ticks: Tick[] = [];
  for (let local = Math.ceil((from + offsetMillis) / step) * step; local <= to + offsetMillis; local += step) {
    ticks.push({ time: local - offsetMillis, text: tickText(local, step) });
    if (ticks.length > most) break;
  }
  return ticks;
}

function tickText(local: number, step: number): string {
  const text = new Date(local).toISOString();
  if (step >= DAY) return text.slice(5, 10);
  return step >= MINUTE ? (local % DAY === 0 ? text.slice(5, 10) : text.slice(11, 16)) : text.slice(11, 19);
}

/** Prints a length of time in its two largest units: `1d2h`, `3m5s`, `0s`. */
export function lengthText(millis: number): string {
  const seconds = Math.max(0, Math.floor(millis / SECOND));
  const parts = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor(seconds / 3600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "m"],
    [seconds % 60, "s"],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  if (first < 0) return "0s";
  return parts
    .slice(first, first + 2)
    .filter(([count], i) => i === 0 || count > 0)
    .map(([count, unit]) => `${count}${unit}`)
    .join("");
}
