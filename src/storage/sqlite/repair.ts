/**
 * Copies the valid records of a damaged store to a new one, and reports what is lost.
 *
 * The damaged store is only read. The current record of each key is copied when its checksum matches; no older version replaces a
 * lost one. The history is not copied.
 *
 * @module
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { StoreError } from "../contract.ts";
import { shareDirectory } from "./lock.ts";
import { type Mark, readMark } from "./mark.ts";
import { REVISION_GAP, Rebuild } from "./rebuild.ts";
import { DATABASE_FILE } from "./schema.ts";
import { type CurrentRows, type Survey, currentRows, withSurvey } from "./survey.ts";
import { scanWal } from "./wal.ts";
import { NO_PROGRESS, type Progress } from "../../util/progress.ts";

/** The result of a repair. */
export interface RepairReport {
  /** The revision at which the new store continues. */
  readonly revision: number;
  /** The number of copied keys. */
  readonly records: number;
  readonly lost: CurrentRows["lost"];
  /** Why the result is less certain. */
  readonly warnings: readonly string[];
}

/**
 * Repairs the store in `from` into the directory `to`.
 *
 * @throws StoreError `failed` when `from` is in use or has no database, or when there is a store in `to`
 */
export function repairStore(from: string, to: string, progress: Progress = NO_PROGRESS): RepairReport {
  const file = join(from, DATABASE_FILE);
  if (!existsSync(file)) throw new StoreError("failed", `Expected a store in ${from}, found no ${DATABASE_FILE} there`);
  const lock = shareDirectory(from);
  try {
    const wal = scanWal(`${file}-wal`);
    const { mark, markWarning } = tryMark(from);
    return withSurvey(
      file,
      wal,
      (survey) => {
        const report = recover(survey, mark, to, progress);
        const logWarning =
          wal?.damage === undefined ? [] : [`the write-ahead log: ${wal.damage}; changes in it may be lost`];
        return { ...report, warnings: [...markWarning, ...logWarning, ...report.warnings] };
      },
      progress,
    );
  } finally {
    lock.release();
  }
}

function tryMark(directory: string): { mark: Mark | undefined; markWarning: string[] } {
  try {
    return { mark: readMark(directory), markWarning: [] };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return { mark: undefined, markWarning: [error.message] };
  }
}

function recover(survey: Survey, mark: Mark | undefined, to: string, progress: Progress): RepairReport {
  const { rows, lost, unknown } = currentRows(survey);
  let newest = Math.max(survey.counters?.revision ?? 0, mark?.ceiling ?? 0);
  for (const revision of survey.rows.keys()) newest = Math.max(newest, revision);
  const rebuild = new Rebuild(to, newest);
  try {
    progress.begin("copying", "record", rows.length);
    let copied = 0;
    // In key order, as in a store that has grown.
    for (const row of rows.toSorted((a, b) => (a.key < b.key ? -1 : 1))) {
      progress.at(++copied);
      const { key, revision, time } = row;
      const value = survey.value(row).subarray(0);
      rebuild.add({ key, value, revision, time });
    }
    const revision = rebuild.finish(newest + REVISION_GAP);
    return { revision, records: rows.length, lost, warnings: warningsOf(survey, mark, unknown) };
  } catch (error) {
    rebuild.abandon();
    throw error;
  }
}

function warningsOf(
  { counters, liveIsWhole, live, damaged }: Survey,
  mark: Mark | undefined,
  unknown: number,
): string[] {
  const warnings: string[] = [];
  const { revision } = counters ?? { revision: undefined };
  if (mark !== undefined && revision !== undefined && revision < mark.floor) {
    warnings.push(
      `the database ends at revision ${revision}, although revision ${mark.floor} was written: what came after is lost`,
    );
  }
  if (liveIsWhole) return warnings;
  const expected = counters === undefined ? "an unknown number of" : String(counters.records);
  warnings.push(
    `the index of keys is damaged (expected ${expected} keys, found ${live.size}): the newest whole version of each key was taken; ` +
      `keys whose records are lost together with their place in the index are not named`,
  );
  if (damaged.size + unknown > 0) {
    warnings.push(`${damaged.size + unknown} records are damaged or gone; what they changed is not known`);
  }
  return warnings;
}
