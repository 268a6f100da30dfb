/**
 * A clean and a perturbed run side by side on one time line.
 *
 * @module
 */
import { diffLines } from "../../util/line-diff.ts";
import type { Trace } from "../contract/trace.ts";
import { type Moment, momentsOf } from "./words.ts";

/** An event of both runs, or of one of them. */
export interface Row {
  readonly clean?: Moment;
  readonly run?: Moment;
  /** Whether this is the first write that differs. */
  readonly isFirst: boolean;
}

/** The places of the first write that differs. */
export interface Difference {
  readonly clean?: number;
  readonly run?: number;
}

/** Rows that are shown, or how many are left out. */
export type Part = { readonly rows: readonly Row[] } | { readonly left: readonly Row[] };

/** Aligns two runs: each event has one row, in the order of its run; rows of both have events that are alike. */
export function timeLine(clean: Trace, run: Trace, difference: Difference = {}): readonly Row[] {
  const left = momentsOf(clean);
  const right = momentsOf(run);
  const keys = (moments: readonly Moment[]): string[] => moments.map(({ key }) => key);
  let [i, j] = [0, 0];
  return diffLines(keys(left), keys(right)).map(({ sign }): Row => {
    const one = sign === "+" ? undefined : left[i++];
    const other = sign === "-" ? undefined : right[j++];
    const isFirst =
      (one !== undefined && one.seq === difference.clean) || (other !== undefined && other.seq === difference.run);
    return { ...(one && { clean: one }), ...(other && { run: other }), isFirst };
  });
}

/** The moment of a row: that of the perturbed run where there is one. */
export const momentOf = ({ clean, run }: Row): Moment => (run ?? clean)!;

/** Whether a row itself shows a difference. */
function isTelling(row: Row): boolean {
  const { kind, isPerturbed } = momentOf(row);
  return row.isFirst || isPerturbed || kind === "step" || (kind !== "delivery" && !(row.clean && row.run));
}

/** The number of rows around a significant one. */
const AROUND = 2;

/**
 * Omits insignificant rows: those that are alike in both runs and far from a difference, and those beyond `most` rows around the first
 * write that differs.
 */
export function windowOf(rows: readonly Row[], most: number): readonly Part[] {
  const telling = rows.flatMap((row, i) => (isTelling(row) ? [i] : []));
  const first = rows.findIndex(({ isFirst }) => isFirst);
  const centre = first < 0 ? (telling[0] ?? 0) : first;
  const near = new Set(telling.flatMap((i) => Array.from({ length: 2 * AROUND + 1 }, (_, k) => i + k - AROUND)));
  const distance = (i: number): number => Math.abs(i - centre) + (telling.includes(i) ? 0 : 0.5);
  const kept = new Set(
    [...near]
      .filter((i) => i >= 0 && i < rows.length)
      .toSorted((a, b) => distance(a) - distance(b))
      .slice(0, most),
  );
  const parts: (Row[] | { left: Row[] })[] = [];
  for (const [i, row] of rows.entries()) {
    const last = parts.at(-1);
    if (kept.has(i)) {
      if (Array.isArray(last)) last.push(row);
      else parts.push([row]);
    } else if (last && !Array.isArray(last)) last.left.push(row);
    else parts.push({ left: [row] });
  }
  return parts.map((part) => (Array.isArray(part) ? { rows: part } : part));
}

const NOUNS = {
  write: ["write", "writes"],
  delivery: ["delivery", "deliveries"],
  life: ["start or end", "starts and ends"],
  step: ["step", "steps"],
  perturbation: ["perturbation", "perturbations"],
} as const;

/** `3 writes and 12 deliveries`. */
export function leftText(rows: readonly Row[]): string {
  const counts = Object.entries(NOUNS).flatMap(([kind, [one, many]]) => {
    const count = rows.filter((row) => momentOf(row).kind === kind).length;
    return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
  });
  return [counts.slice(0, -1).join(", "), counts.at(-1)].filter(Boolean).join(" and ");
}
