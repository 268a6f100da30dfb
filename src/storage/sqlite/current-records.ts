/**
 * Reads the current records of a store that is not open.
 *
 * @module
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { StoreError, type StoredRecord } from "../contract.ts";
import { shareDirectory } from "./lock.ts";
import { openPages } from "./pages.ts";
import { DATABASE_FILE } from "./schema.ts";
import { currentRows, surveyOf } from "./survey.ts";
import { scanWal } from "./wal.ts";

/**
 * Calls `visit` with each valid record in turn, also of a damaged store. Changes nothing.
 *
 * @throws StoreError `failed` when a process has the store open, or there is no store
 */
export async function visitRecords(
  directory: string,
  visit: (record: StoredRecord) => void | Promise<void>,
): Promise<void> {
  const file = join(directory, DATABASE_FILE);
  if (!existsSync(file)) throw new StoreError("failed", `Expected a store in ${directory}, found no ${DATABASE_FILE}`);
  const lock = shareDirectory(directory);
  try {
    using pages = openPages(file, scanWal(`${file}-wal`));
    const survey = surveyOf(pages);
    for (const { key, revision, ...row } of currentRows(survey).rows) {
      const visiting = visit({ key, revision, value: survey.value(row) });
      if (visiting) await visiting;
    }
  } finally {
    lock.release();
  }
}
