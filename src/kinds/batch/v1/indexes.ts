/** A number, or two with a dash between them. */
const INTERVAL = /^(\+?\d+)(?:-(\+?\d+))?$/;

/** What is wrong with a list of indexes such as `0,2-4`, each below `end`; undefined for one that is right. */
export function indexFault(text: string, end: number): string | undefined {
  let last = -1;
  for (const part of text === "" ? [] : text.split(",")) {
    const [, first, second = first] = INTERVAL.exec(part) ?? [];
    if (first === undefined)
      return `expected numbers and ranges such as 0,2-4, got ${JSON.stringify(part.slice(0, 40))}`;
    const [from, to] = [Number(first), Number(second)];
    if (from <= last || to < from || (to === from && part.includes("-"))) return "expected numbers in ascending order";
    if (to >= end) return `expected numbers below ${end}`;
    last = to;
  }
  return undefined;
}

/** How many indexes a list names that is right. */
export function countIndexes(text: string): number {
  let count = 0;
  for (const part of text === "" ? [] : text.split(",")) {
    const [from, to = from] = part.split("-").map(Number);
    count += to! - from! + 1;
  }
  return count;
}

/** The first index that is named by both of two lists, of whose parts only those count that are right; undefined for none. */
export function commonIndex(one: string, other: string, end: number): number | undefined {
  const [left, right] = [intervalsOf(one, end), intervalsOf(other, end)];
  for (let i = 0, j = 0; i < left.length && j < right.length;) {
    const [[from, to], [otherFrom, otherTo]] = [left[i]!, right[j]!];
    if (from <= otherTo && otherFrom <= to) return Math.max(from, otherFrom);
    if (from <= otherFrom) i++;
    else j++;
  }
  return undefined;
}

const intervalsOf = (text: string, end: number): readonly (readonly [from: number, to: number])[] =>
  text.split(",").flatMap((part) => {
    const [from, to = from] = part.split("-").map(Number);
    return indexFault(part, end) === undefined && part !== "" ? [[from!, to!] as const] : [];
  });
