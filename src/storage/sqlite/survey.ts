/**
 * Reads all rows in the files of a store in any state, for `check`, `repair` and reads without SQLite.
 *
 * Pages are read one after the other, not through the trees, so that a damaged tree hides no row; a checksum says whether a row is
 * valid. Free pages are skipped: they contain deleted rows. The survey keeps the positions of values, not the values.
 *
 * @module
 */
import { type Cell, type Column, cellsOf } from "./cells.ts";
import { crc32c, rowChecksum } from "./crc32c.ts";
import type { Ledger } from "./ledger.ts";
import { type Pages, openPages } from "./pages.ts";
import { DELETE_ROW, PUT_ROW } from "./protocol.ts";
import type { WalScan } from "./wal.ts";
import { NO_PROGRESS, type Progress } from "../../util/progress.ts";

/** A row of the log with a matching checksum. */
export interface FoundRow {
  readonly key: string;
  readonly revision: number;
  readonly previous: number;
  readonly kind: number;
  readonly time: number;
  /** Bytes of key and value. */
  readonly size: number;
  /** Its page, and its index among the rows there. */
  readonly page: number;
  readonly index: number;
}

/** The counters of the database. */
export interface FoundCounters extends Readonly<
  Pick<Ledger, "revision" | "compacted" | "records" | "liveBytes" | "logBytes">
> {
  readonly revisionSum: number;
}

/** The entry of a key in the index. */
interface LiveEntry {
  readonly revision: number;
  readonly size: number;
}

/** See the head of this file. */
export interface Survey {
  /** Valid rows by revision. */
  readonly rows: ReadonlyMap<number, FoundRow>;
  /** Rows with a wrong checksum: their revisions and keys, which may be wrong as well. */
  readonly damaged: ReadonlyMap<number, string>;
  /** The readable entries of the index. */
  readonly live: ReadonlyMap<string, LiveEntry>;
  /** Wrong keys in the index, by the right key. */
  readonly misnamed: ReadonlyMap<string, string>;
  readonly counters: FoundCounters | undefined;
  /** Whether `live` matches the counters. */
  readonly liveIsWhole: boolean;
  /** Cells on pages that are no rows. */
  readonly broken: number;
  /** Reads the value of a row. */
  value(row: Pick<FoundRow, "page" | "index">): Buffer;
  value(row: FoundRow): Buffer;
}

const PAGES_PER_REPORT = 64;

/** Surveys the database `file` with its log, calls `work`, and closes it. */
export function withSurvey<T>(
  file: string,
  wal: WalScan | undefined,
  work: (survey: Survey) => T,
  progress: Progress = NO_PROGRESS,
): T {
  using pages = openPages(file, wal);
  return work(surveyOf(pages, progress));
}

/** Surveys pages, which must stay open while the survey is used. */
export function surveyOf(pages: Pages, progress: Progress = NO_PROGRESS): Survey {
  const rows = new Map<number, FoundRow>();
  const damaged = new Map<number, string>();
  const live = new Map<string, LiveEntry>();
  let counters: FoundCounters | undefined;
  let broken = 0;
  const free = pages.free();
  progress.begin("reading the store", "page", pages.count);
  for (let page = 1; page <= pages.count; page++) {
    if (page % PAGES_PER_REPORT === 0) progress.at(page);
    if (free.has(page)) continue;
    const found = cellsOf(pages, page);
    broken += found.broken;
    for (const [index, cell] of found.cells.entries()) {
      const row = logRow(cell);
      if (row) {
        if (row.isValid) rows.set(row.revision, { ...row, page, index });
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
  const value: Survey["value"] = ({ page, index }) => cellsOf(pages, page).cells[index]!.columns[6] as Buffer;
  return { rows, damaged, live, misnamed, counters, liveIsWhole: isWhole(live, counters), broken, value };
}

/** Corrects the keys of the index by those of the records, which have checksums; returns the wrong keys by the right ones. */
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

type LogRow = Omit<FoundRow, "page" | "index"> & { readonly isValid: boolean };

/** A row of `log`: rowid (revision), key, previous, kind, time, checksum, value. */
function logRow({ rowid: revision, columns }: Cell): LogRow | undefined {
  const [first, key, previous, kind, time, checksum, value] = columns;
  if (columns.length !== 7 || first !== null || typeof key !== "string" || !(value instanceof Buffer)) return undefined;
  if (typeof previous !== "number" || typeof kind !== "number" || typeof time !== "number") return undefined;
  const bytes = Buffer.from(key);
  const sum = rowChecksum(crc32c(value, crc32c(bytes)), revision, previous, kind, time);
  const isValid = sum === checksum && (kind === PUT_ROW || kind === DELETE_ROW);
  return { key, revision, previous, kind, time, size: bytes.length + value.length, isValid };
}

/** A row of `live`: key, revision, size. */
function liveRow(columns: readonly Column[]): { key: string; revision: number; size: number } | undefined {
  const [key, revision, size] = columns;
  if (columns.length !== 3 || typeof key !== "string") return undefined;
  return typeof revision === "number" && typeof size === "number" ? { key, revision, size } : undefined;
}

/** The row of `meta`. */
function countersOf({ rowid, columns }: Cell): FoundCounters | undefined {
  const [first, ...numbers] = columns;
  if (rowid !== 1 || columns.length !== 7 || first !== null) return undefined;
  if (!numbers.every((number): number is number => typeof number === "number")) return undefined;
  const [revision = 0, compacted = 0, records = 0, revisionSum = 0, liveBytes = 0, logBytes = 0] = numbers;
  return { revision, compacted, records, revisionSum, liveBytes, logBytes };
}

function isWhole(live: Survey["live"], counters: FoundCounters | undefined): boolean {
  if (counters === undefined || live.size !== counters.records) return false;
  let sum = 0;
  for (const { revision } of live.values()) sum += revision;
  return sum === counters.revisionSum;
}

/** The current row of each key, and what is unknown. */
export interface CurrentRows {
  readonly rows: readonly FoundRow[];
  /** Keys whose newest version is damaged or lost: its revision, and that of the newest valid version before, if any. */
  readonly lost: readonly { readonly key: string; readonly revision: number; readonly older: number | undefined }[];
  /** The number of lost revisions in the history whose keys are unknown. */
  readonly unknown: number;
}

/**
 * The current rows of a survey: those of a complete index; without one the newest valid version of each key, unless the rest of
 * the index has a newer one.
 */
export function currentRows(survey: Survey): CurrentRows {
  const newest = new Map<string, FoundRow>();
  for (const row of survey.rows.values()) {
    const known = newest.get(row.key);
    if (known === undefined || known.revision < row.revision) newest.set(row.key, row);
  }
  const rows: FoundRow[] = [];
  const lost: CurrentRows["lost"][number][] = [];
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
  // A damaged row is newer than the valid rows of its key: the current value is lost.
  for (const [revision, key] of survey.damaged) {
    const row = newest.get(key);
    if (row === undefined || row.revision > revision) continue;
    lost.push({ key, revision, older: row.revision });
    newest.delete(key);
  }
  for (const row of newest.values()) if (row.kind === PUT_ROW) rows.push(row);
  return { rows, lost, unknown: missing(survey) };
}

/** The number of missing rows in the history. */
function missing({ rows, damaged, counters }: Survey): number {
  if (counters === undefined) return 0;
  let count = 0;
  // A row names the revision that it replaced, which must exist in the history.
  for (const { revision, previous } of rows.values()) {
    if (previous > 0 && revision > counters.compacted && !rows.has(previous) && !damaged.has(previous)) count += 1;
  }
  return count;
}
