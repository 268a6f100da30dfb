/** A number, or two with a dash between them. */
const INTERVAL = /^(\+?\d+)(?:-(\+?\d+))?$/;

/** The first and the last index in a part of a list; undefined for one that does not have the form. */
function intervalOf(part: string): readonly [from: number, to: number] | undefined {
  const index = plainIndex(part);
  if (index >= 0) return [index, index];
  const found = INTERVAL.exec(part);
  return found ? [Number(found[1]), Number(found[2] ?? found[1])] : undefined;
}

/** The number of a part that has only digits, as most do; below 0 for any other. */
function plainIndex(part: string): number {
  let index = part === "" ? -1 : 0;
  for (let i = 0; i < part.length; i++) {
    const digit = part.charCodeAt(i) - 0x30;
    if (digit < 0 || digit > 9) return -1;
    index = index * 10 + digit;
  }
  return index;
}

/** Whether a part of a list is an interval without an index, or one index written as an interval. */
const isDisordered = (from: number, to: number, part: string): boolean =>
  to < from || (to === from && part.includes("-"));

/** The fault of a list of indexes such as `0,2-4`, each below `end`; undefined for a valid one. */
export function indexFault(text: string, end: number): string | undefined {
  let last = -1;
  for (const part of text === "" ? [] : text.split(",")) {
    const interval = intervalOf(part);
    if (!interval) return `expected numbers and ranges such as 0,2-4, got ${JSON.stringify(part.slice(0, 40))}`;
    const [from, to] = interval;
    if (from <= last || isDisordered(from, to, part)) return "expected numbers in ascending order";
    if (to >= end) return `expected numbers below ${end}`;
    last = to;
  }
  return undefined;
}

/** The number of indexes in a valid list. */
export function countIndexes(text: string): number {
  let count = 0;
  for (const part of text === "" ? [] : text.split(",")) {
    const [from, to = from] = part.split("-").map(Number);
    count += to! - from! + 1;
  }
  return count;
}

/** The first index that is in both of two lists, of whose parts only the valid ones count; undefined for none. */
export function commonIndex(one: string, other: string, end: number): number | undefined {
  const [left, right] = [intervalsOf(one, end), intervalsOf(other, end)];
  let [mine, theirs] = [left.next(), right.next()];
  while (!mine.done && !theirs.done) {
    const [[from, to], [otherFrom, otherTo]] = [mine.value, theirs.value];
    if (from <= otherTo && otherFrom <= to) return Math.max(from, otherFrom);
    if (from <= otherFrom) mine = left.next();
    else theirs = right.next();
  }
  return undefined;
}

/** The intervals of the valid parts of a list. */
function* intervalsOf(text: string, end: number): Generator<readonly [from: number, to: number], void> {
  for (const part of text.split(",")) {
    const interval = intervalOf(part);
    if (interval && interval[1] < end && !isDisordered(...interval, part)) yield interval;
  }
}
