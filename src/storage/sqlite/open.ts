/**
 * Opens the store of a directory, or refuses to: what is there must be what was left there.
 *
 * The database checks itself (schema.ts). Whether it is the newest one is told by the high-water mark beside it
 * (mark.ts), and whether its write-ahead log can be believed by reading that (wal.ts). A store that fails one of
 * these is refused and left as it is, with a message that says what to do.
 *
 * @module
 */
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { StoreError } from "../contract.ts";
import { damagedStore } from "./advice.ts";
import { checkChains } from "./chains.ts";
import { isDamage, isFull, isMisunderstood, toPlain } from "./errors.ts";
import { Ledger } from "./ledger.ts";
import { type Mark, HighWater, readMark } from "./mark.ts";
import { DATABASE_FILE, type Migrations, openDatabase } from "./schema.ts";
import { scanWal } from "./wal.ts";

/** A store that may be used. */
export interface OpenedStore {
  readonly db: DatabaseSync;
  readonly ledger: Ledger;
  readonly mark: HighWater;
  /** The history up to here is damaged and must be given up; 0 when it is whole. */
  readonly gap: number;
}

/** Opens the store in `directory`; the caller holds the lock. @throws StoreError `corrupt`, `failed` or `full` */
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

/** A database that is older than its mark has been put there, or has lost what was written. */
export function checkMark(directory: string, mark: Mark | undefined, revision: number): void {
  if (mark === undefined || revision >= mark.floor) return;
  const file = join(directory, DATABASE_FILE);
  throw new StoreError(
    "corrupt",
    `Expected ${file} to have revision ${mark.floor} or a later one, found ${revision}: it is an older copy, or has lost changes`,
  );
}

/** After an end without order the store goes on above every revision that may have been seen. */
function begin(directory: string, ledger: Ledger, before: Mark | undefined): HighWater {
  const mark = new HighWater(directory, before, ledger.revision);
  if (before?.state === "open") ledger.advance(before.ceiling);
  try {
    mark.reserve(ledger.revision, 0);
  } catch (error) {
    // Without room the store can be read; the first write tries again.
    if (!isFull(error)) {
      mark.release();
      throw error;
    }
  }
  return mark;
}

/** Adds to the report of damage what can be done about it. */
function withAdvice(error: unknown, directory: string): unknown {
  const damaged = error instanceof StoreError ? error.code === "corrupt" : isDamage(error) || isMisunderstood(error);
  if (!damaged) return error;
  return damagedStore(directory, toPlain(error, "corrupt").message, error);
}
