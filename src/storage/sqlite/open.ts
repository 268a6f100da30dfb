/**
 * Opens and checks the store of a directory: the database checks itself (schema.ts), the high-water mark detects an older one
 * (mark.ts), and the write-ahead log is read for damage (wal.ts). A store that fails a check is refused and left as it is; the
 * error says what to do.
 *
 * @module
 */
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { StoreError } from "../contract.ts";
import { damagedStore } from "./damaged-store.ts";
import { checkChains } from "./chains.ts";
import { isDamage, isFull, isMisunderstood, toPlain } from "./errors.ts";
import { Ledger } from "./ledger.ts";
import { type Mark, HighWater, readMark } from "./mark.ts";
import { DATABASE_FILE, type Migrations, openDatabase } from "./schema.ts";
import { scanWal } from "./wal.ts";

/** A store that has passed all checks. */
export interface OpenedStore {
  readonly db: DatabaseSync;
  readonly ledger: Ledger;
  readonly mark: HighWater;
  /** The history up to this revision is damaged and must be removed; 0 when it is complete. */
  readonly gap: number;
}

/** Opens the store in `directory`, which the caller has locked. @throws StoreError `corrupt`, `failed` or `full` */
export function openTrusted(directory: string, migrations?: Migrations): OpenedStore {
  try {
    const mark = readMark(directory);
    checkWal(join(directory, `${DATABASE_FILE}-wal`));
    const db = openDatabase(directory, migrations);
    try {
      const ledger = new Ledger(db);
      checkMark(directory, mark, ledger.revision);
      const gap = checkChains(db, join(directory, DATABASE_FILE), ledger);
      return { db, ledger, mark: begin(directory, ledger, mark), gap };
    } catch (error) {
      db.close();
      throw error;
    }
  } catch (error) {
    throw withAdvice(error, directory);
  }
}

function checkWal(file: string): void {
  const damage = scanWal(file)?.damage;
  if (damage !== undefined) throw new StoreError("corrupt", `Expected ${file} to be whole: ${damage}`);
}

/** Checks that a database is not older than its mark. */
export function checkMark(directory: string, mark: Mark | undefined, revision: number): void {
  if (mark === undefined || revision >= mark.floor) return;
  const file = join(directory, DATABASE_FILE);
  throw new StoreError(
    "corrupt",
    `Expected ${file} to have revision ${mark.floor} or a later one, found ${revision}: it is an older copy, or has lost changes`,
  );
}

/** Creates the mark. After a crash the store continues above every revision that may have been used. */
function begin(directory: string, ledger: Ledger, before: Mark | undefined): HighWater {
  const mark = new HighWater(directory, before, ledger.revision);
  if (before?.state === "open") ledger.advance(before.ceiling);
  try {
    mark.reserve(ledger.revision, 0);
  } catch (error) {
    // A full disk can be read; the first write tries again.
    if (!isFull(error)) {
      mark.release();
      throw error;
    }
  }
  return mark;
}

/** Adds to an error of damage what can be done about it. */
function withAdvice(error: unknown, directory: string): unknown {
  const damaged = error instanceof StoreError ? error.code === "corrupt" : isDamage(error) || isMisunderstood(error);
  if (!damaged) return error;
  return damagedStore(directory, toPlain(error, "corrupt").message, error);
}
