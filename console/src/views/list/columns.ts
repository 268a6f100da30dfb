/**
 * Columns of a table: which are shown, and how wide they are.
 *
 * @module
 */
import type { WindowCell, WindowColumn, WindowRow } from "../../../../src/meta/console-protocol.ts";
import { ageText } from "../../ui/age.ts";

/** A column that is shown. */
export interface ShownColumn {
  readonly name: string;
  readonly description: string;
  /** The index in the cells of a row; -1 for the namespace. */
  readonly cell: number;
  readonly isNumber: boolean;
}

const NAMESPACE: ShownColumn = {
  name: "Namespace",
  description: "The namespace of the object.",
  cell: -1,
  isNumber: false,
};

/** The columns that are shown: those of the server up to its priority 0, all in wide tables; the namespace where rows have several. */
export function shownColumns(
  columns: readonly WindowColumn[],
  options: { readonly wide: boolean; readonly namespaces: boolean },
): ShownColumn[] {
  const shown = columns.flatMap(({ name, description, type, priority }, cell) =>
    options.wide || priority === 0
      ? [{ name, description, cell, isNumber: type === "integer" || type === "number" }]
      : [],
  );
  return options.namespaces && columns.length > 0 ? [NAMESPACE, ...shown] : shown;
}

/** The cell of a column. */
export function cellOf(row: WindowRow, { cell }: ShownColumn): WindowCell {
  return cell < 0 ? row.namespace : (row.cells[cell] ?? null);
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;

/** Whether a cell is a time, of which the age is shown. */
export function isTime(cell: WindowCell): cell is string {
  return typeof cell === "string" && cell.length <= 30 && TIME.test(cell);
}

/** The text of a cell. */
export function cellText(cell: WindowCell, now: number): string {
  if (cell === null) return "";
  return isTime(cell) ? ageText(Date.parse(cell), now) : String(cell);
}

const NARROWEST = 5;
const WIDEST = 44;
/** The name is what a row is about. */
const WIDEST_NAME = 64;

/** Widths in characters: the widest of what was seen so far, within bounds; a column does not become narrower while it is shown. */
export function columnWidths(
  columns: readonly ShownColumn[],
  rows: readonly WindowRow[],
  last: ReadonlyMap<string, number>,
): Map<string, number> {
  return new Map(
    columns.map((column) => {
      let width = Math.max(last.get(column.name) ?? NARROWEST, column.name.length + 4);
      for (const row of rows) {
        const cell = cellOf(row, column);
        width = Math.max(width, isTime(cell) ? 6 : String(cell ?? "").length);
      }
      return [column.name, Math.min(width, column.name === "Name" ? WIDEST_NAME : WIDEST)];
    }),
  );
}

const TONES: Readonly<Record<string, "good" | "warning" | "bad">> = Object.assign(Object.create(null), {
  Running: "good",
  Active: "good",
  Bound: "good",
  Ready: "good",
  True: "good",
  Complete: "good",
  Completed: "good",
  Succeeded: "good",
  Available: "good",
  Approved: "good",
  "Approved,Issued": "good",
  Pending: "warning",
  Terminating: "warning",
  ContainerCreating: "warning",
  Released: "warning",
  Unknown: "warning",
  Warning: "warning",
  NotReady: "bad",
  Failed: "bad",
  Error: "bad",
  Lost: "bad",
  Denied: "bad",
  Evicted: "bad",
  OOMKilled: "bad",
  CrashLoopBackOff: "bad",
  ErrImagePull: "bad",
  ImagePullBackOff: "bad",
});

const STATE_COLUMNS = new Set(["Status", "Phase", "Ready", "Type", "Condition", "State", "Available"]);

/** What a cell says of the health of its object, where it is a state that is well known; the text says the same. */
export function toneOf(column: ShownColumn, text: string): "good" | "warning" | "bad" | undefined {
  return STATE_COLUMNS.has(column.name) ? TONES[text] : undefined;
}
