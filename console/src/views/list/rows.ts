/**
 * What changes from one state of a window to the next, for the table.
 *
 * @module
 */
import type { WindowRow } from "../../../../src/meta/console-protocol.ts";
import type { WindowView } from "../../api/window-state.ts";

/** The row at an index of the list, if the window has it. */
export function rowAt(view: Pick<WindowView, "offset" | "rows">, index: number): WindowRow | undefined {
  return view.rows[index - view.offset];
}

/** UIDs of the rows that were written, or made, since the last state: those that were seen, or whose place was. */
export function changedRows(before: WindowView, after: WindowView): ReadonlySet<string> {
  if (before.state !== "live" || after.state !== "live") return new Set();
  const versions = new Map(before.rows.map(({ uid, resourceVersion }) => [uid, resourceVersion]));
  const changed = new Set<string>();
  for (const [index, row] of after.rows.entries()) {
    const version = versions.get(row.uid);
    const placeWasSeen = rowAt(before, after.offset + index) !== undefined || before.matching < after.matching;
    if (version === undefined ? placeWasSeen && isInside(before, after, index) : version !== row.resourceVersion)
      changed.add(row.uid);
  }
  return changed;
}

/** Whether a place of the new window is between rows of the old one, so that a row that is new there was not just scrolled in. */
function isInside(before: WindowView, after: WindowView, index: number): boolean {
  const place = after.offset + index;
  return place >= before.offset && place <= before.offset + before.rows.length;
}

/**
 * By how many rows the list has moved at an index, because objects before it came or went: the row there and the next one have both
 * moved so. 0 if it has not, or if this is unknown.
 */
export function movedBy(before: WindowView, after: WindowView, index: number): number {
  const row = rowAt(before, index);
  const next = rowAt(before, index + 1);
  if (!row || !next) return 0;
  const place = (uid: string): number => after.rows.findIndex((one) => one.uid === uid);
  const now = place(row.uid);
  return now >= 0 && place(next.uid) === now + 1 ? after.offset + now - index : 0;
}

/** How often rows of a view have changed, by UID. */
export interface Flashes {
  readonly view: WindowView;
  readonly times: ReadonlyMap<string, number>;
}

/** No row has changed. */
export const NO_FLASHES: ReadonlyMap<string, number> = new Map();

/** How often rows have changed after another state of the window; those that are not in it are forgotten. */
export function flashesOf({ view: before, times }: Flashes, after: WindowView): Flashes {
  const changed = changedRows(before, after);
  if (changed.size === 0) return { view: after, times };
  const next = new Map<string, number>();
  for (const { uid } of after.rows) {
    const count = (times.get(uid) ?? 0) + (changed.has(uid) ? 1 : 0);
    if (count > 0) next.set(uid, count);
  }
  return { view: after, times: next };
}
