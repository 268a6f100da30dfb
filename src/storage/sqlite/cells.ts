/**
 * Reads the rows of a database page without SQLite. The page may be damaged: data that is no row is skipped, and the
 * checksums of rows are checked elsewhere.
 *
 * @module
 */
import type { Pages } from "./pages.ts";

/** The value of a column. */
export type Column = number | Buffer | string | null;

/** A row: its rowid (0 in a table without one) and its columns. */
export interface Cell {
  readonly rowid: number;
  readonly columns: readonly Column[];
}

/** Types of b-tree pages. */
const TABLE_LEAF = 13;
const INDEX_LEAF = 10;
const INDEX_INTERIOR = 2;
/** The size of the largest row: the largest value, a key, and a little. */
const MAX_ROW_BYTES = 4 << 20;

/** The rows on a page; none on other pages. `broken` counts cells that are no rows. */
export function cellsOf(pages: Pages, number: number): { readonly cells: Cell[]; readonly broken: number } {
  const page = pages.read(number);
  const start = number === 1 ? 100 : 0;
  const kind = page?.[start];
  if (page === undefined || (kind !== TABLE_LEAF && kind !== INDEX_LEAF && kind !== INDEX_INTERIOR)) {
    return { cells: [], broken: 0 };
  }
  const head = start + (kind === INDEX_INTERIOR ? 12 : 8);
  const count = Math.min(page.readUInt16BE(start + 3), Math.floor((pages.pageBytes - head) / 2));
  const cells: Cell[] = [];
  let broken = 0;
  for (let i = 0; i < count; i++) {
    const at = page.readUInt16BE(head + 2 * i);
    const cell = at < head ? undefined : readCell(pages, page, at, kind);
    if (cell) cells.push(cell);
    else broken += 1;
  }
  return { cells, broken };
}

function readCell(pages: Pages, page: Buffer, from: number, kind: number): Cell | undefined {
  let at = from + (kind === INDEX_INTERIOR ? 4 : 0);
  const size = varint(page, at);
  if (size === undefined || size.value > MAX_ROW_BYTES) return undefined;
  at = size.end;
  let rowid = 0;
  if (kind === TABLE_LEAF) {
    const number = varint(page, at);
    if (number === undefined) return undefined;
    rowid = number.value;
    at = number.end;
  }
  const payload = readPayload(pages, page, at, size.value, kind === TABLE_LEAF);
  const columns = payload && readRecord(payload);
  return columns && { rowid, columns };
}

/** The bytes of a row, on its page and on overflow pages. */
function readPayload(pages: Pages, page: Buffer, at: number, size: number, table: boolean): Buffer | undefined {
  const usable = pages.pageBytes;
  const max = table ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23;
  if (size <= max) return at + size <= usable ? page.subarray(at, at + size) : undefined;
  const min = Math.floor(((usable - 12) * 32) / 255) - 23;
  const fitting = min + ((size - min) % (usable - 4));
  const local = fitting <= max ? fitting : min;
  if (at + local + 4 > usable) return undefined;
  const parts = [page.subarray(at, at + local)];
  let next = page.readUInt32BE(at + local);
  for (let left = size - local; left > 0; left -= usable - 4) {
    const more = pages.read(next);
    if (more === undefined) return undefined;
    parts.push(more.subarray(4, 4 + Math.min(left, usable - 4)));
    next = more.readUInt32BE(0);
  }
  return Buffer.concat(parts);
}

function readRecord(bytes: Buffer): Column[] | undefined {
  const head = varint(bytes, 0);
  if (head === undefined || head.value > bytes.length) return undefined;
  const columns: Column[] = [];
  let at = head.value;
  for (let type = head.end; type < head.value;) {
    const serial = varint(bytes, type);
    const column = serial && readColumn(bytes, at, serial.value);
    if (!column) return undefined;
    columns.push(column.value);
    type = serial.end;
    at = column.end;
  }
  return at === bytes.length ? columns : undefined;
}

const INTEGER_BYTES = [0, 1, 2, 3, 4, 6, 8];

function readColumn(bytes: Buffer, at: number, serial: number): { value: Column; end: number } | undefined {
  if (serial === 0) return { value: null, end: at };
  if (serial === 8 || serial === 9) return { value: serial - 8, end: at };
  if (serial < 7) {
    const size = INTEGER_BYTES[serial]!;
    if (at + size > bytes.length) return undefined;
    const value = size === 8 ? Number(bytes.readBigInt64BE(at)) : bytes.readIntBE(at, size);
    return { value, end: at + size };
  }
  if (serial < 12) return undefined;
  const end = at + ((serial - (serial % 2 === 0 ? 12 : 13)) >>> 1);
  if (end > bytes.length) return undefined;
  return { value: serial % 2 === 0 ? bytes.subarray(at, end) : bytes.toString("utf8", at, end), end };
}

/** An integer of one to nine bytes; undefined when it exceeds the page or a safe integer. */
function varint(bytes: Buffer, from: number): { readonly value: number; readonly end: number } | undefined {
  let value = 0;
  for (let i = 0; i < 9; i++) {
    const byte = bytes[from + i];
    if (byte === undefined) return undefined;
    value = i === 8 ? value * 256 + byte : value * 128 + (byte & 127);
    if (value > Number.MAX_SAFE_INTEGER) return undefined;
    if (byte < 128 || i === 8) return { value, end: from + i + 1 };
  }
  return undefined;
}
