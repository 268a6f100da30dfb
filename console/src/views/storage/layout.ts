/**
 * Where boxes and lines stand: columns from left to right, and in a column an order in which few lines cross.
 *
 * @module
 */
import type { Box, Line } from "./boxes.ts";
import { type Column, COLUMNS } from "./item.ts";

/** The sizes of the drawing in CSS pixels. */
export const SIZES = { boxWidth: 170, boxHeight: 40, rowGap: 8, columnGap: 60, head: 28, margin: 12 } as const;

/** Boxes and the gaps between columns are as wide as the drawing has room, between these widths. */
const NARROWEST = { boxWidth: 116, columnGap: 26 } as const;
const WIDEST = { boxWidth: 240, columnGap: 110 } as const;

/** A box with its upper left corner. */
export interface PlacedBox extends Box {
  readonly x: number;
  readonly y: number;
}

/** A line with its path of SVG. */
export interface PlacedLine extends Line {
  readonly path: string;
}

/** The drawing. */
export interface Layout {
  readonly width: number;
  /** The width of each box. */
  readonly boxWidth: number;
  readonly height: number;
  readonly columns: readonly { readonly column: Column; readonly x: number; readonly count: number }[];
  readonly boxes: readonly PlacedBox[];
  readonly lines: readonly PlacedLine[];
}

/** How often columns are sorted by their neighbours, from the left and from the right. */
const SWEEPS = 4;

/** The widths of a box and of a gap, so that so many columns fill a width if they can. */
function widthsFor(columns: number, room: number | undefined): { boxWidth: number; columnGap: number } {
  if (room === undefined || columns < 2) return SIZES;
  const width = room - 2 * SIZES.margin;
  const whole = columns * SIZES.boxWidth + (columns - 1) * SIZES.columnGap;
  const boxWidth = between(NARROWEST.boxWidth, (SIZES.boxWidth * width) / whole, WIDEST.boxWidth);
  // The gaps have what the boxes leave.
  return {
    boxWidth,
    columnGap: between(NARROWEST.columnGap, (width - columns * boxWidth) / (columns - 1), WIDEST.columnGap),
  };
}

const between = (least: number, wanted: number, most: number): number =>
  Math.floor(Math.max(least, Math.min(most, wanted)));

/** Returns the drawing of boxes and lines, as wide as the room if that is possible; a column without boxes is left out. */
export function layoutOf(boxes: readonly Box[], lines: readonly Line[], room?: number): Layout {
  const { boxHeight, rowGap, head, margin } = SIZES;
  const columns = COLUMNS.map((column) => boxes.filter((box) => box.column === column).toSorted(byTitle)).filter(
    (column) => column.length > 0,
  );
  const { boxWidth, columnGap } = widthsFor(columns.length, room);
  const neighbours = new Map<string, string[]>();
  const note = (id: string, other: string): void => {
    const near = neighbours.get(id);
    if (near) near.push(other);
    else neighbours.set(id, [other]);
  };
  for (const { from, to } of lines) {
    note(from, to);
    note(to, from);
  }
  const ordered = sweep(columns, neighbours);
  const placed = new Map<string, PlacedBox>();
  for (const [i, column] of ordered.entries()) {
    for (const [row, box] of column.entries()) {
      placed.set(box.id, {
        ...box,
        x: margin + i * (boxWidth + columnGap),
        y: margin + head + row * (boxHeight + rowGap),
      });
    }
  }
  const most = Math.max(0, ...ordered.map((column) => column.length));
  return {
    boxWidth,
    width: 2 * margin + ordered.length * boxWidth + Math.max(0, ordered.length - 1) * columnGap,
    height: 2 * margin + head + most * (boxHeight + rowGap),
    columns: ordered.map((column, i) => ({
      column: column[0]!.column,
      x: margin + i * (boxWidth + columnGap),
      count: column.reduce((sum, { count }) => sum + count, 0),
    })),
    boxes: [...placed.values()],
    lines: lines.flatMap((line): PlacedLine[] => {
      const [from, to] = [placed.get(line.from), placed.get(line.to)];
      return from && to ? [{ ...line, path: pathOf(from, to, boxWidth) }] : [];
    }),
  };
}

const byTitle = (a: Box, b: Box): number => (a.title < b.title ? -1 : a.title > b.title ? 1 : a.id < b.id ? -1 : 1);

/** Sorts each column by the mean position of its neighbours; those without any keep theirs. */
function sweep(columns: readonly Box[][], neighbours: ReadonlyMap<string, readonly string[]>): readonly Box[][] {
  const ordered = columns.map((column) => [...column]);
  const position = new Map<string, number>();
  const note = (column: readonly Box[]): void => {
    for (const [row, { id }] of column.entries()) position.set(id, row / Math.max(1, column.length - 1));
  };
  for (const column of ordered) note(column);
  for (let round = 0; round < SWEEPS; round++) {
    for (let step = 0; step < ordered.length; step++) {
      const i = round % 2 === 0 ? step : ordered.length - 1 - step;
      const means = new Map(
        ordered[i]!.map(({ id }) => {
          const near = (neighbours.get(id) ?? []).flatMap((other) => position.get(other) ?? []);
          const mean = near.length === 0 ? position.get(id)! : near.reduce((sum, at) => sum + at, 0) / near.length;
          return [id, mean];
        }),
      );
      ordered[i] = ordered[i]!.toSorted((a, b) => means.get(a.id)! - means.get(b.id)! || byTitle(a, b));
      note(ordered[i]!);
    }
  }
  return ordered;
}

function pathOf(from: PlacedBox, to: PlacedBox, boxWidth: number): string {
  const [x1, y1] = [from.x + boxWidth, from.y + SIZES.boxHeight / 2];
  const [x2, y2] = [to.x, to.y + SIZES.boxHeight / 2];
  const bend = Math.max(12, (x2 - x1) / 2);
  return `M${x1},${y1}C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2},${y2}`;
}

/** Where the keyboard leads: the next box in the column, or the nearest one in the next column; undefined at an edge. */
export function boxBeside(layout: Layout, id: string, key: string): string | undefined {
  const box = layout.boxes.find((one) => one.id === id);
  if (!box) return layout.boxes[0]?.id;
  const column = layout.boxes.filter(({ x }) => x === box.x).toSorted((a, b) => a.y - b.y);
  const at = column.findIndex((one) => one.id === id);
  if (key === "ArrowDown") return column[at + 1]?.id;
  if (key === "ArrowUp") return column[at - 1]?.id;
  if (key === "Home") return column[0]?.id;
  if (key === "End") return column.at(-1)?.id;
  const isRight = key === "ArrowRight";
  if (!isRight && key !== "ArrowLeft") return undefined;
  const linked = layout.lines.flatMap(({ from, to }) =>
    isRight && from === id ? [to] : !isRight && to === id ? [from] : [],
  );
  const beyond = layout.boxes.filter(({ x }) => (isRight ? x > box.x : x < box.x));
  const near = beyond.filter((one) => linked.includes(one.id));
  const candidates = near.length > 0 ? near : beyond;
  const distance = (one: PlacedBox): number => Math.abs(one.x - box.x) * 10 + Math.abs(one.y - box.y);
  return candidates.toSorted((a, b) => distance(a) - distance(b))[0]?.id;
}

/** How far beyond the edges of a view boxes are drawn, in CSS pixels. */
const BEYOND = 400;

/** The boxes that a view shows, or will show when it is scrolled a little, and those of `also`. */
export function boxesInView(
  { boxes }: Layout,
  { top, height }: { readonly top: number; readonly height: number },
  also: readonly (string | undefined)[] = [],
): readonly PlacedBox[] {
  return boxes.filter(
    ({ id, y }) => (y + SIZES.boxHeight > top - BEYOND && y < top + height + BEYOND) || also.includes(id),
  );
}
