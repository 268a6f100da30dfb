import { type DiffLine, diffSteps, hunksOf } from "../../../src/util/line-diff.ts";
import type { Steps } from "../../../src/util/steps.ts";

/** The most lines that are shown. */
const MAX_LINES = 2000;
/** Equal lines around those that differ. */
const CONTEXT = 3;

/** A line, or how many equal ones are left out. */
export type Row = DiffLine | number;

/** The rows that are drawn at once. */
const BLOCK_ROWS = 200;

/** What is drawn of the difference of two texts. */
interface Compared {
  readonly before: string;
  readonly after: string;
  readonly blocks: readonly (readonly Row[])[];
  /** Whether there are more differences than rows. */
  readonly hasMore: boolean;
}

/** Compares two texts, in steps. */
export function* compared(before: string, after: string): Steps<Compared> {
  const lines = yield* diffSteps(linesOf(before), linesOf(after));
  yield;
  const rows: Row[] = [];
  let left = MAX_LINES;
  let next = 1;
  let hasMore = false;
  for (const hunk of hunksOf(lines, CONTEXT)) {
    if (left === 0) {
      hasMore = true;
      break;
    }
    if (hunk.from > next) rows.push(hunk.from - next);
    const shown = hunk.lines.slice(0, left);
    for (const line of shown) rows.push(line);
    left -= shown.length;
    hasMore = shown.length < hunk.lines.length;
    next = hunk.from + hunk.lines.filter(({ sign }) => sign !== "+").length;
  }
  const blocks: Row[][] = [];
  for (let at = 0; at < rows.length; at += BLOCK_ROWS) blocks.push(rows.slice(at, at + BLOCK_ROWS));
  return { before, after, blocks, hasMore };
}

const linesOf = (text: string): string[] => (text === "" ? [] : text.replace(/\n$/, "").split("\n"));
