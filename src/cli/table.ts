import { type Painter, printable } from "./colours.ts";
import { fit, padTo, widthOf } from "../util/width.ts";

/** Pads the cells of rows to columns, with a gap between them and without trailing blanks. */
export function alignedLines(rows: readonly (readonly string[])[], gap = "  "): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, widthOf(cell));
  }
  return rows.map((row) =>
    row
      .map((cell, i) => padTo(cell, widths[i] ?? 0))
      .join(gap)
      .trimEnd(),
  );
}

/** Returns the lines of a table, at most `columns` wide; the first row is the head, which is dim. */
export function table(rows: readonly (readonly string[])[], columns: number, paint: Painter): string[] {
  const [head = "", ...lines] = alignedLines(rows.map((row) => row.map(printable))).map((line) => fit(line, columns));
  return [paint("dim", head), ...lines];
}
