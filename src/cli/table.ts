import { type Painter, printable } from "./colours.ts";
import { fit, padTo, widthOf } from "./width.ts";

/** A table in lines of at most some places, below a dim head; the first row is the head. */
export function table(rows: readonly (readonly string[])[], columns: number, paint: Painter): string[] {
  const cells = rows.map((row) => row.map(printable));
  const widths = cells[0]!.map((_, i) => cells.reduce((most, row) => Math.max(most, widthOf(row[i]!)), 0));
  const lines = cells.map((row) =>
    fit(
      row
        .map((cell, i) => padTo(cell, widths[i]!))
        .join("  ")
        .trimEnd(),
      columns,
    ),
  );
  return [paint("dim", lines[0]!), ...lines.slice(1)];
}
