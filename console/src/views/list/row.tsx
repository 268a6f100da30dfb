import { Component, type JSX } from "preact";
import type { WindowRow } from "../../../../src/meta/console-protocol.ts";
import { now } from "../../state/clock.ts";
import { classes } from "../../ui/basics.tsx";
import { visible } from "../../ui/visible.ts";
import { cellOf, cellText, isTime, toneOf, type ShownColumn } from "./columns.ts";

interface RowProps {
  readonly row: WindowRow;
  readonly index: number;
  readonly columns: readonly ShownColumn[];
  readonly cards: boolean;
  readonly selected: boolean;
  readonly isCursor: boolean;
  readonly flashed: number;
  readonly hrefOf: (row: WindowRow) => string;
  readonly onOpen: (row: WindowRow) => void;
  readonly onSelect: (index: number, options: { readonly range: boolean }) => void;
  readonly onCursor: (index: number) => void;
}

/** A row; it is drawn again only if something of it has changed. */
export class Row extends Component<RowProps> {
  override shouldComponentUpdate(next: RowProps): boolean {
    const { row, index, columns, cards, selected, isCursor, flashed } = this.props;
    return (
      next.row !== row ||
      next.index !== index ||
      next.columns !== columns ||
      next.cards !== cards ||
      next.selected !== selected ||
      next.isCursor !== isCursor ||
      next.flashed !== flashed
    );
  }

  readonly #click = (event: MouseEvent): void => {
    const { index, row, onCursor, onSelect } = this.props;
    if (event.target instanceof Element && event.target.closest("a, input")) return;
    onCursor(index);
    if (event.shiftKey) onSelect(index, { range: true });
    else if (event.ctrlKey || event.metaKey) onSelect(index, { range: false });
    else if (event.detail === 2) this.props.onOpen(row);
  };

  render({ row, index, columns, cards, selected, isCursor, flashed, hrefOf, onSelect }: RowProps): JSX.Element {
    const nameAt = columns.findIndex(({ name }) => name === "Name");
    return (
      // The keys of the grid do what a click does (`Enter`, `Space`).
      // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
      <div
        id={`row-${index}`}
        role="row"
        tabIndex={-1}
        aria-rowindex={index + 2}
        aria-selected={selected}
        class={classes(
          "table-row",
          isCursor && "table-cursor",
          selected && "table-selected",
          row.deleting && "table-deleting",
          flashed > 0 && (flashed % 2 === 1 ? "flash-odd" : "flash-even"),
        )}
        onClick={this.#click}
      >
        <div role="gridcell" class="table-cell table-check">
          <input
            type="checkbox"
            tabIndex={-1}
            checked={selected}
            aria-label={`Select ${visible(row.name)}`}
            onClick={(event) => onSelect(index, { range: event.shiftKey })}
          />
        </div>
        {columns.map((column, at) => (
          <Cell
            key={column.name}
            row={row}
            column={column}
            {...(at === nameAt || (nameAt < 0 && at === 0) ? { link: hrefOf(row) } : {})}
            labelled={cards && at !== nameAt}
          />
        ))}
      </div>
    );
  }
}

function Cell({
  row,
  column,
  link,
  labelled,
}: {
  readonly row: WindowRow;
  readonly column: ShownColumn;
  readonly link?: string;
  readonly labelled: boolean;
}): JSX.Element {
  const cell = cellOf(row, column);
  const isAge = isTime(cell);
  // Only ages depend on the time.
  const text = visible(cellText(cell, isAge ? now.value : 0));
  const tone = toneOf(column, text);
  const className = classes(
    "table-cell",
    column.isNumber && "table-number",
    tone && `tone-${tone}`,
    link && "table-name",
  );
  const title = isAge ? cell : text;
  return (
    <div role="gridcell" class={className} title={title}>
      {labelled ? <span class="table-label">{visible(column.name)}</span> : undefined}
      {link === undefined ? (
        <bdi>{text}</bdi>
      ) : (
        <a href={link} tabIndex={-1}>
          <bdi>{text}</bdi>
        </a>
      )}
      {link !== undefined && row.deleting ? <span class="badge badge-warning">deleting</span> : undefined}
    </div>
  );
}
