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

/** Bounds of widths in pixels; the name is what a row is about. */
const WIDEST = 360;
const WIDEST_NAME = 560;
/** The longest text of an age, and what stands behind the name of a column that is sorted. */
const AGE = "999d23h";
const ARROW = "\u2193 ";

/** Measures texts, in pixels. */
export interface Ruler {
  cell(text: string): number;
  header(text: string): number;
}

/** What a table has measured: the widest of what was seen so far, within bounds; a column does not become narrower while it is shown. */
export class ColumnWidths {
  readonly #ruler: Ruler;
  readonly #widths = new Map<string, number>();
  #columns: readonly ShownColumn[] = [];
  #measured = new WeakSet<WindowRow>();

  constructor(ruler: Ruler) {
    this.#ruler = ruler;
  }

  /** The widths of the texts of columns; rows that were measured before are not measured again. */
  of(columns: readonly ShownColumn[], rows: readonly WindowRow[]): readonly number[] {
    if (columns !== this.#columns) {
      this.#columns = columns;
      this.#measured = new WeakSet();
      for (const { name } of columns) this.#atLeast(name, this.#ruler.header(name + ARROW));
    }
    for (const row of rows) {
      if (this.#measured.has(row)) continue;
      this.#measured.add(row);
      for (const column of columns) {
        const cell = cellOf(row, column);
        const text = isTime(cell) ? AGE : String(cell ?? "");
        if (text !== "") this.#atLeast(column.name, this.#ruler.cell(text.slice(0, WIDEST_NAME / 3)));
      }
    }
    return columns.map(({ name }) => this.#widths.get(name) ?? 0);
  }

  #atLeast(name: string, width: number): void {
    const most = name === "Name" ? WIDEST_NAME : WIDEST;
    this.#widths.set(name, Math.min(most, Math.max(this.#widths.get(name) ?? 0, Math.ceil(width))));
  }
}

/** The width of the check boxes, and of what stands beside the text of a cell, in pixels. */
const CHECK = 34;
const PADDING = 18;
/** The least width of a long text where there is not enough room. */
const SHORTEST = 160;

/**
 * The columns of the grid of a table, and its least width in pixels, for the widths of texts; one column takes what is left of the
 * width that is there. Where there is less, the widest columns become narrower, so that one long name hides no other column.
 */
export function columnGrid(
  columns: readonly ShownColumn[],
  texts: readonly number[],
  available = Number.POSITIVE_INFINITY,
): { readonly template: string; readonly width: number } {
  const rest = restColumn(columns);
  // A message is read in the room that is there.
  const wanted = texts.map((text, at) =>
    at === rest && columns[at]?.name !== "Name" ? Math.min(text, SHORTEST) : text,
  );
  const most = widestThatFits(wanted, available - CHECK - PADDING * columns.length);
  const pixels = wanted.map((text) => PADDING + Math.min(text, most));
  return {
    template: [`${CHECK}px`, ...pixels.map((one, at) => (at === rest ? `minmax(${one}px, 1fr)` : `${one}px`))].join(
      " ",
    ),
    width: pixels.reduce((sum, one) => sum + one, CHECK),
  };
}

/**
 * The bound of the widths with which their sum is at most `available`. There is none if it would be less than {@link SHORTEST}: the
 * table is then scrolled anyway, and texts are seen whole.
 */
function widestThatFits(widths: readonly number[], available: number): number {
  const ascending = widths.toSorted((a, b) => a - b);
  let left = available;
  for (const [at, width] of ascending.entries()) {
    const share = left / (ascending.length - at);
    if (width > share) return share < SHORTEST ? Number.POSITIVE_INFINITY : Math.floor(share);
    left -= width;
  }
  return Number.POSITIVE_INFINITY;
}

/** The column that takes what is left of the width: the name, or the last one with text. */
function restColumn(columns: readonly ShownColumn[]): number {
  const name = columns.findIndex((column) => column.name === "Name");
  return name >= 0 ? name : columns.findLastIndex(({ isNumber }) => !isNumber);
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
