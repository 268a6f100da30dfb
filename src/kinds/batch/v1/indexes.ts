/** A number, or two with a dash between them. */
const INTERVAL = /^(0|[1-9]\d*)(?:-(0|[1-9]\d*))?$/;

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
