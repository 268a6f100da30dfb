/**
 * What a file has, in pieces of JSON, as the worker that has read it sends them: the page can read one after the other, and a text
 * takes less time to arrive than objects do.
 *
 * @module
 */
import type { Steps } from "../../../../src/util/steps.ts";
import { parseExact } from "../../editor/exact-json.ts";
import type { Opened, ShownFinding, TraceRow } from "./read.ts";

/** The length of a piece with rows of a trace; its last row may be longer. */
const PIECE_LENGTH = 256 * 1024;

/** What {@link openedFrom} reads: first the file, then its findings, each with its rows behind it. */
type Piece =
  | { readonly file: Omit<Opened, "findings"> }
  | { readonly finding: Omit<ShownFinding, "rows"> }
  | { readonly rows: readonly TraceRow[] };

/** Writes what a file has, in pieces. */
export function piecesOf({ findings, ...file }: Opened): string[] {
  const pieces: string[] = [];
  const add = (piece: Piece): void => void pieces.push(JSON.stringify(piece));
  add({ file });
  for (const { rows, ...finding } of findings) {
    add({ finding });
    let open: TraceRow[] = [];
    let length = 0;
    for (const row of rows) {
      open.push(row);
      length += lengthOf(row);
      if (length < PIECE_LENGTH) continue;
      add({ rows: open });
      open = [];
      length = 0;
    }
    if (open.length > 0) add({ rows: open });
  }
  return pieces;
}

/** About how many characters a row takes. */
const lengthOf = ({ clean, run }: TraceRow): number =>
  [clean, run].reduce((sum, moment) => sum + (moment ? 100 + moment.text.length + (moment.note?.length ?? 0) : 0), 50);

/** Reads what a file has, in steps, from its pieces. */
export function* openedFrom(pieces: readonly string[]): Steps<Opened> {
  let file: Omit<Opened, "findings"> = { title: "", summary: [] };
  const findings: ShownFinding[] = [];
  let rows: TraceRow[] = [];
  for (const text of pieces) {
    const piece = parseExact(text) as Piece;
    if ("file" in piece) file = piece.file;
    else if ("rows" in piece) for (const row of piece.rows) rows.push(row);
    else {
      rows = [];
      findings.push({ ...piece.finding, rows });
    }
    yield;
  }
  return { ...file, findings };
}
