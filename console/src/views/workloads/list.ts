/**
 * Which rows are shown, and over which time.
 *
 * @module
 */
import type { Row, SpanState } from "./rows.ts";

/** Which rows are shown. */
export interface RowFilter {
  readonly namespace?: string;
  readonly kind?: string;
  readonly text?: string;
  /** Only rows that wait for something or have failed. */
  readonly unfinished?: boolean;
}

/** A row in the list, with its depth below the first ones. */
export interface FlatRow {
  readonly row: Row;
  readonly depth: number;
}

const UNFINISHED: ReadonlySet<SpanState> = new Set(["waits", "runs", "failed", "deleting"]);

/** Returns the rows that are shown in their order: those that pass the filter, and what is below the open ones. */
export function flatRows(rows: readonly Row[], open: ReadonlySet<string>, filter: RowFilter = {}): readonly FlatRow[] {
  const text = filter.text?.toLowerCase() ?? "";
  const isShown = (row: Row): boolean =>
    (!filter.namespace || row.namespace === filter.namespace) &&
    (!filter.kind || row.kind === filter.kind) &&
    (!filter.unfinished || UNFINISHED.has(row.state)) &&
    row.name.toLowerCase().includes(text);
  const flat: FlatRow[] = [];
  const add = (row: Row, depth: number): void => {
    flat.push({ row, depth });
    if (open.has(row.id)) for (const child of row.children) add(child, depth + 1);
  };
  for (const row of rows) if (isShown(row)) add(row, 0);
  return flat;
}

/** The time from the first to the last span of rows, with a margin; the last hour where there is nothing. */
export function rangeOf(rows: readonly Row[], now: number): { readonly from: number; readonly to: number } {
  let from = Infinity;
  for (const row of rows) for (const span of row.spans) from = Math.min(from, span.from);
  if (from === Infinity || from >= now) from = now - 3_600_000;
  // What is older than a week does not make the rest invisible.
  from = Math.max(from, now - 7 * 24 * 3_600_000);
  const margin = Math.max(5_000, (now - from) * 0.04);
  return { from: from - margin, to: now + margin };
}
