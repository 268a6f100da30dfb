/**
 * Scrolling through more rows than an element can be high. Rows are all of one height, so which ones are seen is a division.
 *
 * @module
 */

/** The greatest height of an element that every browser draws: Firefox ends at 17.8 million pixels, Chromium at 33.5. */
export const MOST_HEIGHT = 15_000_000;

/** Sizes in pixels. */
export interface ScrollSizes {
  /** The height of all rows. */
  readonly content: number;
  /** The height of what is seen of them. */
  readonly viewport: number;
}

/** Where a list is scrolled to. */
export interface ScrollPosition {
  /** The distance from the first row in pixels. */
  readonly offset: number;
  /** What the browser's `scrollTop` is for it. */
  readonly top: number;
}

/** The height of the element that is scrolled. */
export function scrollHeight({ content }: ScrollSizes): number {
  return Math.min(content, MOST_HEIGHT);
}

/** The greatest distance from the first row. */
export function lastOffset({ content, viewport }: ScrollSizes): number {
  return Math.max(0, content - viewport);
}

const lastTop = (sizes: ScrollSizes): number => Math.max(0, scrollHeight(sizes) - sizes.viewport);

/** Within this distance of both ends the bar moves with the rows, so that the first and the last row are easy to reach. */
const EQUAL = 200_000;

/** The same place in another length: as far from the nearer end as before, or in between by its part of the whole. */
function scaled(place: number, from: number, to: number): number {
  const equal = Math.min(EQUAL, from / 4, to / 4);
  if (from === to || place <= equal) return place;
  if (place >= from - equal) return to - (from - place);
  return equal + ((place - equal) / (from - 2 * equal)) * (to - 2 * equal);
}

const between = (value: number, most: number): number => Math.min(most, Math.max(0, value));

/** The position with this distance from the first row, as near as there is one. */
export function positionAt(offset: number, sizes: ScrollSizes): ScrollPosition {
  const last = lastOffset(sizes);
  const inside = between(offset, last);
  return { offset: inside, top: Math.round(scaled(inside, last, lastTop(sizes))) };
}

/**
 * The position after the browser has scrolled to `top`. A short way is a wheel or a finger, and moves the rows by just as much;
 * a long one is the scroll bar, and stands for a part of the whole.
 *
 * Where an element is as high as its rows, both are the same. Where it is not, `top` of the result may differ from the one of the
 * browser at both ends, so that a short way never ends before the rows do: then the caller sets it.
 */
export function scrolled(from: ScrollPosition, top: number, sizes: ScrollSizes): ScrollPosition {
  const [last, end] = [lastOffset(sizes), lastTop(sizes)];
  if (last === end) return { offset: between(top, last), top };
  const way = top - from.top;
  if (Math.abs(way) > sizes.viewport) return { offset: between(scaled(top, end, last), last), top };
  const offset = between(from.offset + way, last);
  const atEnd = top <= 0 || top >= end || offset === 0 || offset === last;
  return atEnd ? positionAt(offset, sizes) : { offset, top };
}

/** Rows of a list. */
export interface RowRange {
  /** The first one. */
  readonly first: number;
  /** Behind the last one. */
  readonly end: number;
}

/** The rows that are seen, with so many more before and behind them. */
export function rowsSeen(offset: number, viewport: number, rowHeight: number, count: number, more = 0): RowRange {
  const first = Math.max(0, Math.min(count, Math.floor(offset / rowHeight)) - more);
  return { first, end: Math.max(first, Math.min(count, Math.ceil((offset + viewport) / rowHeight) + more)) };
}

/**
 * The range that a window has to have for these rows to be seen: the last range while they and a margin are inside, so that it moves
 * seldom; another one around them, of the same size, if not.
 */
export function windowRange(
  seen: RowRange,
  last: { readonly offset: number; readonly size: number },
  most: number,
): { readonly offset: number; readonly size: number } {
  const rows = seen.end - seen.first;
  const size = Math.min(most, Math.max(60, Math.ceil((rows * 3) / 20) * 20));
  const margin = Math.floor(rows / 2);
  const inside =
    (last.offset === 0 || seen.first - margin >= last.offset) && seen.end + margin <= last.offset + last.size;
  if (inside && last.size === size) return last;
  return { offset: Math.max(0, seen.first - Math.floor((size - rows) / 2)), size };
}

/** The offset at which a row is seen whole; the nearest one to where the list is. */
export function offsetToSee(index: number, rowHeight: number, offset: number, viewport: number): number {
  const start = index * rowHeight;
  if (start < offset) return start;
  if (start + rowHeight > offset + viewport) return start + rowHeight - viewport;
  return offset;
}
