/**
 * What is in the files of a store, row by row, whatever state they are in: the ground on which `check` and `repair`
 * stand.
 *
 * Pages are read one after the other, not through the trees that lead to them, so that a damaged tree hides nothing; the
 * checksum of each row tells whether it is right. Pages that the database has given up are left out: they hold what was
 * deleted. The survey keeps where values are, not the values.
 *
 * @module
 */
import { type Cell, type Column, cellsOf } from "./cells.ts";
import { crc32c, rowChecksum } from "./crc32c.ts";
import { type Pages, openPages } from "./pages.ts";
import { DELETE_ROW, PUT_ROW } from "./protocol.ts";
import type { WalScan } from "./wal.ts";

/** A row of the log whose checksum fits. */
export interface FoundRow {
  readonly key: string;
  readonly revision: number;
  readonly previous: number;
  readonly kind: number;
  readonly time: number;
  /** Bytes of key and value. */
  readonly size: number;
  /** Its page, and its place among the rows there. */
  readonly page: number;
  readonly index: number;
}

/** The counters, as the database has them. */
export interface FoundCounters {
  readonly revision: number;
  readonly compacted: number;
  readonly records: number;
  readonly revisionSum: number;
  readonly liveBytes: number;
  readonly logBytes: number;
}

/** What the index says of a key. */
interface LiveEntry {
  readonly revision: number;
  readonly size: number;
}

/** See the head of this file. */
export interface Survey {
  /** Whole rows by revision. */
  readonly rows: ReadonlyMap<number, FoundRow>;
  /** Rows whose checksum does not fit: the revision that they claim, and the key as far as it can be read. */
  readonly damaged: ReadonlyMap<number, string>;
  /** Which revision each key has, as far as that can be read. */
  readonly live: ReadonlyMap<string, LiveEntry>;
  /** Keys that the index has wrong: what it has instead. */
  readonly misnamed: ReadonlyMap<string, string>;
  readonly counters: FoundCounters | undefined;
  /** Whether `live` is all that the counters speak of. */
  readonly liveIsWhole: boolean;
  /** Places on pages that should hold a row and do not. */
  readonly broken: number;
  /** Reads the value of a row again. */
  value(row: FoundRow): Buffer;
}

/** Surveys the database `file` with its log, calls `work`, and closes it. */
export function withSurvey<T>(file: string, wal: WalScan | undefined, work: (survey: Survey) => T): T {
  using pages = openPages(file, wal);
  return work(surveyOf(pages));
}

/** Surveys pages that stay open for as long as the survey is used. */
export function surveyOf(pages: Pages): Survey {
  const rows = new Map<number, FoundRow>();
  const damaged = new Map<number, string>();
  const live = new Map<string, LiveEntry>();
  let counters: FoundCounters | undefined;
  let broken = 0;
  const free = pages.free();
  for (let page = 1; page <= pages.count; page++) {
    if (free.has(page)) continue;
    const found = cellsOf(pages, page);
    broken += found.broken;
    for (const [index, cell] of found.cells.entries()) {
      const row = logRow(cell);
      if (row) {
        if (row.fits) rows.set(row.revision, { ...row, page, index });
        else damaged.set(row.revision, row.key);
        continue;
      }
      const entry = liveRow(cell.columns);
      if (entry) live.set(entry.key, entry);
      else counters ??= countersOf(cell);
    }
  }
  for (const revision of rows.keys()) damaged.delete(revision);
  const misnamed = rename(live, rows);
  const value = ({ page, index }: FoundRow): Buffer => cellsOf(pages, page).cells[index]!.columns[6] as Buffer;
  return { rows, damaged, live, misnamed, counters, liveIsWhole: isWhole(live, counters), broken, value };
}

/** Gives entries of the index the key of their record, which is under a checksum; the wrong keys by the right ones. */
function rename(live: Map<string, LiveEntry>, rows: ReadonlyMap<number, FoundRow>): Map<string, string> {
  const misnamed = new Map<string, string>();
  for (const [wrong, entry] of live) {
    const row = rows.get(entry.revision);
    if (row === undefined || row.key === wrong || row.kind !== PUT_ROW || live.has(row.key)) continue;
    live.delete(wrong);
    live.set(row.key, entry);
    misnamed.set(row.key, wrong);
  }
  return misnamed;
}

type LogRow = Omit<FoundRow, "page" | "index"> & { readonly fits: boolean };

/** A row of `log`: revision (its number), key, previous, kind, time, checksum, value. */
function logRow({ rowid: revision, columns }: Cell): LogRow | undefined {
  const [first, key, previous, kind, time, checksum, value] = columns;
  if (columns.length !== 7 || first !== null || typeof key !== "string" || !(value instanceof Buffer)) return undefined;
  if (typeof previous !== "number" || typeof kind !== "number" || typeof time !== "number") return undefined;
  const bytes = Buffer.from(key);
  const sum = rowChecksum(crc32c(value, crc32c(bytes)), revision, previous, kind, time);
  const fits = sum === checksum && (kind === PUT_ROW || kind === DELETE_ROW);
  return { key, revision, previous, kind, time, size: bytes.length + value.length, fits };
}

/** A row of `live`: key, revision, size. */
function liveRow(columns: readonly Column[]): { key: string; revision: number; size: number } | undefined {
  const [key, revision, size] = columns;
  if (columns.length !== 3 || typeof key !== "string") return undefined;
  return typeof revision === "number" && typeof size === "number" ? { key, revision, size } : undefined;
}

/** The row of `meta`. */
function countersOf({ rowid, columns }: Cell): FoundCounters | undefined {
  const numbers = columns.slice(1);
  if (rowid !== 1 || columns.length !== 7 || columns[0] !== null) return undefined;
  if (!numbers.every((number): number is number => typeof number === "number")) return undefined;
  const [revision, compacted, records, revisionSum, liveBytes, logBytes] = numbers as number[];
  return {
    revision: revision!,
    compacted: compacted!,
    records: records!,
    revisionSum: revisionSum!,
    liveBytes: liveBytes!,
    logBytes: logBytes!,
  };
}

function isWhole(live: Survey["live"], counters: FoundCounters | undefined): boolean {
  if (counters === undefined || live.size !== counters.records) return false;
  let sum = 0;
  for (const { revision } of live.values()) sum += revision;
  return sum === counters.revisionSum;
}

/** Which row each key has now, and what cannot be told. */
export interface Present {
  readonly rows: readonly FoundRow[];
  /** Keys whose newest version is damaged or lost, with its revision. */
  readonly lost: readonly { readonly key: string; readonly revision: number; readonly older: number | undefined }[];
  /** Revisions within the history of which no whole row is there: nobody knows which keys they changed. */
  readonly unknown: number;
}

/**
 * The present of a surveyed store. With a whole index that is what the index says. Without one it is the newest whole
 * version of each key, unless the rest of the index knows of a newer one.
 */
export function presentOf(survey: Survey): Present {
  const newest = new Map<string, FoundRow>();
  for (const row of survey.rows.values()) {
    const known = newest.get(row.key);
    if (known === undefined || known.revision < row.revision) newest.set(row.key, row);
  }
  const rows: FoundRow[] = [];
  const lost: Present["lost"][number][] = [];
  for (const [key, { revision }] of survey.live) {
    const row = survey.rows.get(revision);
    if (row !== undefined && row.key === key && row.kind === PUT_ROW) {
      if (survey.liveIsWhole) rows.push(row);
    } else if (survey.liveIsWhole || (newest.get(key)?.revision ?? 0) < revision) {
      lost.push({ key, revision, older: newest.get(key)?.revision });
      newest.delete(key);
    }
  }
  if (survey.liveIsWhole) return { rows, lost, unknown: 0 };
  // A damaged row is newer than what is whole of its key: what the key has now is lost with it.
  for (const [revision, key] of survey.damaged) {
    const row = newest.get(key);
    if (row === undefined || row.revision > revision) continue;
    lost.push({ key, revision, older: row.revision });
    newest.delete(key);
  }
  for (const row of newest.values()) if (row.kind === PUT_ROW) rows.push(row);
  return { rows, lost, unknown: missing(survey) };
}

/** Rows of the log after the compacted revision that should be there and are not. */
function missing({ rows, damaged, counters }: Survey): number {
  if (counters === undefined) return 0;
  let count = 0;
  // A row that replaced something says so: what it names must have been there, if it is within the history.
  for (const { revision, previous } of rows.values()) {
    if (previous > 0 && revision > counters.compacted && !rows.has(previous) && !damaged.has(previous)) count += 1;
  }
  return count;
}
