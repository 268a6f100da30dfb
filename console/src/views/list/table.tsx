import { useComputed, useSignal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { WindowRow } from "../../../../src/meta/console-protocol.ts";
import type { WindowView } from "../../api/window-state.ts";
import { isNarrow } from "../../state/media.ts";
import { classes } from "../../ui/basics.tsx";
import {
  offsetToSee,
  positionAt,
  rowsSeen,
  scrolled,
  scrollHeight,
  windowRange,
  type ScrollPosition,
  type ScrollSizes,
} from "../../ui/scroll.ts";
import { visible } from "../../ui/visible.ts";
import { columnGrid, ColumnWidths, type ShownColumn } from "./columns.ts";
import { Row } from "./row.tsx";
import { flashesOf, movedBy, NO_FLASHES, rowAt, type Flashes } from "./rows.ts";
import { browserRuler } from "./ruler.ts";
import type { Selection } from "./selection.ts";

/** The height of a row in pixels, of a card on a narrow screen, and of the header. */
const ROW = 30;
const CARD = 74;
const HEAD = 32;
/** Rows that are drawn before and behind those that are seen. */
const MORE = 8;
/** The most rows of a window. */
const MOST_ROWS = 300;

/** What moves the cursor of a table. */
export interface TableControl {
  /** Moves the cursor by so many rows; with `page` by what is seen. */
  move(by: number, options?: { readonly page?: boolean; readonly select?: boolean }): void;
  /** Moves the cursor to the first or the last row. */
  moveTo(end: "first" | "last"): void;
  /** Gives the table the focus; false if it is not shown. */
  focus(): boolean;
}

/** The table of a window. */
export function Table({
  label,
  view,
  columns,
  cursor,
  selection,
  sort,
  hrefOf,
  onRange,
  onOpen,
  onSelect,
  onSort,
  control,
}: {
  readonly label: string;
  readonly view: ReadonlySignal<WindowView>;
  readonly columns: readonly ShownColumn[];
  /** The index of the row of the cursor, and its UID. */
  readonly cursor: Signal<{ readonly index: number; readonly uid: string | undefined }>;
  readonly selection: ReadonlySignal<Selection>;
  readonly sort: { readonly column: string; readonly descending: boolean } | undefined;
  readonly hrefOf: (row: WindowRow) => string;
  /** Other rows are seen. */
  readonly onRange: (offset: number, size: number) => void;
  readonly onOpen: (row: WindowRow) => void;
  /** A row is selected or not any more; with `range` all from the last one on. */
  readonly onSelect: (index: number, options: { readonly range: boolean }) => void;
  readonly onSort: (column: string) => void;
  readonly control: { current: TableControl | null };
}): JSX.Element {
  const grid = useRef<HTMLDivElement>(null);
  const viewport = useSignal(600);
  const available = useSignal(Number.POSITIVE_INFINITY);
  const cards = isNarrow.value;
  const rowHeight = cards ? CARD : ROW;
  const count = useComputed(() => view.value.matching);
  const position = useSignal<ScrollPosition>({ offset: 0, top: 0 });
  const sizes = (): ScrollSizes => ({ content: count.peek() * rowHeight, viewport: viewport.peek() });

  const setOffset = (offset: number): void => {
    const next = positionAt(offset, sizes());
    position.value = next;
    if (grid.current && grid.current.scrollTop !== next.top) grid.current.scrollTop = next.top;
  };

  // Which rows flash, by how often they have changed: a row that changes while it flashes begins again.
  const shown = view.value;
  const flashes = useRef<Flashes>({ view: shown, times: NO_FLASHES });
  if (flashes.current.view !== shown) flashes.current = flashesOf(flashes.current, shown);
  const last = useRef<WindowView>(shown);
  const widths = useMemo(() => new ColumnWidths(browserRuler()), []);
  useLayoutEffect(() => {
    const before = last.current;
    const after = view.value;
    last.current = after;
    if (before === after) return;
    // What is read stays where it is when objects before it come and go, and the cursor stays with its object.
    const { offset } = position.peek();
    const moved = offset > 0 ? movedBy(before, after, Math.floor(offset / rowHeight)) : 0;
    if (moved !== 0 || before.matching !== after.matching) setOffset(offset + moved * rowHeight);
    const { index, uid } = cursor.peek();
    const now_ = uid === undefined ? -1 : after.rows.findIndex((row) => row.uid === uid);
    if (now_ >= 0) {
      if (after.offset + now_ !== index) cursor.value = { index: after.offset + now_, uid };
    } else {
      const inside = Math.max(0, Math.min(index, after.matching - 1));
      const row = rowAt(after, inside);
      if (row && (inside !== index || row.uid !== uid)) cursor.value = { index: inside, uid: row.uid };
    }
  });

  useLayoutEffect(() => {
    const element = grid.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() => {
      viewport.value = Math.max(rowHeight, element.clientHeight - (cards ? 0 : HEAD));
      available.value = element.clientWidth;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [cards, rowHeight]);

  // Another height of rows keeps the first row that is seen.
  const lastHeight = useRef(rowHeight);
  useLayoutEffect(() => {
    const { offset } = position.peek();
    setOffset((offset / lastHeight.current) * rowHeight);
    lastHeight.current = rowHeight;
  }, [rowHeight]);

  const range = useRef({ offset: 0, size: 100 });
  const first = useComputed(() => Math.floor(position.value.offset / rowHeight)).value;
  const shift = useComputed(() => position.value.top - position.value.offset).value;
  const seen = rowsSeen(first * rowHeight, viewport.value + rowHeight, rowHeight, count.value);
  useEffect(() => {
    const next = windowRange(seen, range.current, MOST_ROWS);
    if (next === range.current) return;
    range.current = next;
    onRange(next.offset, next.size);
  }, [seen.first, seen.end]);

  const setCursor = (index: number): void => {
    const inside = Math.max(0, Math.min(count.peek() - 1, index));
    cursor.value = { index: inside, uid: rowAt(view.peek(), inside)?.uid };
    setOffset(offsetToSee(inside, rowHeight, position.peek().offset, viewport.peek()));
  };
  control.current = {
    move(by, { page = false, select = false } = {}) {
      const step = page ? Math.max(1, Math.floor(viewport.peek() / rowHeight) - 1) : 1;
      const from = cursor.peek().index;
      if (select) onSelect(from, { range: false });
      setCursor(from + by * step);
    },
    moveTo: (end) => setCursor(end === "first" ? 0 : count.peek() - 1),
    focus() {
      grid.current?.focus({ preventScroll: true });
      return grid.current !== null;
    },
  };
  useEffect(() => {
    // The keys of the table work at once, unless the user types in a field.
    const { activeElement } = document;
    if (activeElement === document.body || activeElement?.id === "main") grid.current?.focus({ preventScroll: true });
  }, []);

  const { template, width } = columnGrid(
    cards ? [] : columns,
    cards ? [] : widths.of(columns, shown.rows),
    available.value,
  );
  const drawn = rowsSeen(first * rowHeight, viewport.value + rowHeight, rowHeight, count.value, MORE);
  const rows: JSX.Element[] = [];
  for (let index = drawn.first; index < drawn.end; index++) {
    const row = rowAt(shown, index);
    const isCursor = cursor.value.index === index;
    rows.push(
      row ? (
        <Row
          key={row.uid}
          row={row}
          index={index}
          columns={columns}
          cards={cards}
          selected={selection.value.has(row.uid)}
          isCursor={isCursor}
          flashed={flashes.current.times.get(row.uid) ?? 0}
          hrefOf={hrefOf}
          onOpen={onOpen}
          onSelect={onSelect}
          onCursor={setCursor}
        />
      ) : (
        <div
          key={`at ${index}`}
          id={`row-${index}`}
          role="row"
          aria-rowindex={index + 2}
          aria-busy="true"
          class={classes("table-row", "table-missing", isCursor && "table-cursor")}
        >
          <div role="gridcell" class="table-cell" aria-colspan={columns.length + 1}>
            <span class="unseen">loading</span>
          </div>
        </div>
      ),
    );
  }
  return (
    <div
      ref={grid}
      class={classes("table", cards && "table-cards", shown.state === "stale" && "table-stale")}
      role="grid"
      aria-label={label}
      aria-rowcount={count.value + 1}
      aria-colcount={columns.length + 1}
      aria-multiselectable="true"
      aria-activedescendant={count.value > 0 ? `row-${cursor.value.index}` : undefined}
      tabIndex={0}
      onScroll={(event) => {
        const { scrollTop } = event.currentTarget;
        const next = scrolled(position.peek(), scrollTop, sizes());
        position.value = next;
        if (Math.abs(next.top - scrollTop) >= 1) event.currentTarget.scrollTop = next.top;
      }}
      style={{ "--columns": template, "--width": `${width}px` }}
    >
      <div class={classes("table-head", cards && "unseen")} role="rowgroup">
        <div role="row" aria-rowindex={1} class="table-row">
          <div role="columnheader" class="table-cell table-check">
            <span class="unseen">Selected</span>
          </div>
          {columns.map((column) => {
            const sorted = sort?.column === column.name ? (sort.descending ? "descending" : "ascending") : undefined;
            return (
              <div
                key={column.name}
                role="columnheader"
                aria-sort={sorted ?? "none"}
                title={column.description}
                class={classes("table-cell", column.isNumber && "table-number")}
              >
                <button type="button" class="table-sort" tabIndex={-1} onClick={() => onSort(column.name)}>
                  {visible(column.name)}
                  <span aria-hidden="true" class="table-arrow">
                    {sorted === undefined ? "" : sorted === "ascending" ? "↑" : "↓"}
                  </span>
                </button>
              </div>
            );
          })}
        </div>
      </div>
      <div
        class="table-body"
        role="rowgroup"
        style={{ height: `${scrollHeight({ content: count.value * rowHeight, viewport: 0 })}px` }}
      >
        <div
          class="table-rows"
          role="presentation"
          style={{ transform: `translateY(${drawn.first * rowHeight + shift}px)` }}
        >
          {rows}
        </div>
      </div>
    </div>
  );
}
