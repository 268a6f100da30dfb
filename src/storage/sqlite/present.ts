/**
 * What a store that nobody has open has now of each key, for tools that look into records.
 *
 * @module
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { StoreError, type StoredRecord } from "../contract.ts";
import { shareDirectory } from "./lock.ts";
import { openPages } from "./pages.ts";
import { DATABASE_FILE } from "./schema.ts";
import { presentOf, surveyOf } from "./survey.ts";
import { scanWal } from "./wal.ts";

/**
 * Calls `visit` with each record that is whole, one after the other, also of a store that is damaged. Nothing is changed.
 *
 * @throws StoreError `failed` when a process has the store open, or when there is none
 */
export async function visitPresent(
  directory: string,
  visit: (record: StoredRecord) => void | Promise<void>,
): Promise<void> {
  const file = join(directory, DATABASE_FILE);
  if (!existsSync(file)) throw new StoreError("failed", `Expected a store in ${directory}, found no ${DATABASE_FILE}`);
  const lock = shareDirectory(directory);
  try {
    using pages = openPages(file, scanWal(`${file}-wal`));
    const survey = surveyOf(pages);
    for (const row of presentOf(survey).rows) {
      const visiting = visit({ key: row.key, revision: row.revision, value: survey.value(row) });
      if (visiting) await visiting;
    }
  } finally {
    lock.release();
  }
}
