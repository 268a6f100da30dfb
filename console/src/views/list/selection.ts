/**
 * Rows that are selected, by their UIDs: they stay selected when they move, and when they are not seen.
 *
 * @module
 */
import type { WindowRow } from "../../../../src/meta/console-protocol.ts";

/** What is kept of a selected row. */
export type Selected = Pick<WindowRow, "uid" | "namespace" | "name">;

/** The selected rows, by UID. */
export type Selection = ReadonlyMap<string, Selected>;

/** More rows are not selected at once. */
export const MOST_SELECTED = 5000;

const kept = ({ uid, namespace, name }: Selected): Selected => ({ uid, namespace, name });

/** The selection with or without a row. */
export function toggled(selection: Selection, row: Selected): Selection {
  const next = new Map(selection);
  if (!next.delete(row.uid) && next.size < MOST_SELECTED) next.set(row.uid, kept(row));
  return next;
}

/** The selection with these rows. */
export function added(selection: Selection, rows: Iterable<Selected>): Selection {
  const next = new Map(selection);
  for (const row of rows) if (next.size < MOST_SELECTED) next.set(row.uid, kept(row));
  return next;
}

/** The selection without these rows: they are gone. */
export function without(selection: Selection, uids: Iterable<string>): Selection {
  const next = new Map(selection);
  for (const uid of uids) next.delete(uid);
  return next;
}
