/**
 * Creates and checks the database file.
 *
 * - `log`: every change in the history, by revision. It contains the values: the current one of each key, and older ones.
 * - `live`: the current revision of each key. A read looks here first, then in the log.
 * - `meta`: one row with the counters, written in the transaction of the changes that it counts.
 *
 * Each value is written once, and a write changes one dense page of `live` and the end of `log`.
 *
 * @module
 */
import { chmodSync, closeSync, existsSync, fsyncSync, openSync, readSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StoreError } from "../contract.ts";
import { syncFolder } from "./sync-folder.ts";

/** The name of the database in the directory of the store. */
export const DATABASE_FILE = "keelson.db";
/** The page size of all databases. */
export const PAGE_BYTES = 4096;
/** A log that starts again is truncated to this length. */
export const LOG_LIMIT_BYTES: number = 32 << 20;
/** Steps from one format to the next, each in a transaction; the first one migrates format 1 to format 2. */
export type Migrations = readonly ((db: DatabaseSync) => void)[];
/** There is only format 1 so far. A change of the tables below adds a step. */
const MIGRATIONS: Migrations = [];
/** The format of the tables below. */
export const FORMAT: number = 1 + MIGRATIONS.length;
/** "KEEL", in the header of the file. */
export const APPLICATION_ID: number = 0x4b45454c;
const MAGIC = "SQLite format 3\0";
const OWNER_ONLY = 0o600;

const TABLES = `
  CREATE TABLE log (
    revision INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    previous INTEGER NOT NULL,  -- revision that this one replaced, 0 if it created the key
    kind INTEGER NOT NULL,      -- 1 put, 2 delete
    time INTEGER NOT NULL,      -- wall time in milliseconds
    checksum INTEGER NOT NULL,  -- CRC-32C over key, value, and revision, previous, kind and time as float64
    value BLOB NOT NULL         -- of a delete: the last value
  ) STRICT;
  CREATE TABLE live (
    key TEXT PRIMARY KEY,
    revision INTEGER NOT NULL,
    size INTEGER NOT NULL       -- bytes of key and value
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE meta (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    revision INTEGER NOT NULL,
    compacted INTEGER NOT NULL,     -- the history up to here is gone
    records INTEGER NOT NULL,       -- rows in live
    revision_sum INTEGER NOT NULL,  -- sum of the revisions in live
    live_bytes INTEGER NOT NULL,    -- sum of the sizes in live
    log_bytes INTEGER NOT NULL      -- the same over log
  ) STRICT;
  INSERT INTO meta VALUES (1, 0, 0, 0, 0, 0, 0);
`;

/**
 * Opens the database in `directory`, which the caller has locked; creates it in a new directory. A database of an older format is
 * migrated, one of a newer format is refused.
 */
export function openDatabase(directory: string, migrations: Migrations = MIGRATIONS): DatabaseSync {
  const file = join(directory, DATABASE_FILE);
  if (existsSync(file)) checkHeader(file);
  else if (existsSync(`${file}-wal`) || existsSync(join(directory, "created"))) {
    throw new StoreError("corrupt", `Expected the database ${file} of this data directory, found none`);
  } else createDatabase(directory, file);
  restrictAccess(file);
  const db = connect(file);
  try {
    checkDatabase(db, file, 1 + migrations.length);
    migrate(db, migrations);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Creates a database, which gets its name when it is complete, so an empty file is always damage. */
function createDatabase(directory: string, file: string): void {
  const temporary = `${file}.new`;
  const db = beginDatabase(temporary);
  db.close();
  finishDatabase(directory, temporary, file);
}

/** Creates the tables in a new file, in place of the rest of an earlier attempt. */
export function beginDatabase(file: string): DatabaseSync {
  for (const suffix of ["", "-wal", "-journal"]) rmSync(file + suffix, { force: true });
  // SQLite takes an empty file for a new database; the log gets the mode of the database.
  closeSync(openSync(file, "wx", OWNER_ONLY));
  const db = connect(file);
  db.exec(`BEGIN; ${TABLES} PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${FORMAT}; COMMIT`);
  return db;
}

/**
 * Renames a complete and closed database to its final name.
 *
 * @throws StoreError `failed` when SQLite has left a journal behind, which its `close` does not report
 */
export function finishDatabase(directory: string, temporary: string, file: string): void {
  for (const suffix of ["-wal", "-journal"]) {
    if (!existsSync(temporary + suffix)) continue;
    throw new StoreError(
      "failed",
      `Expected ${temporary} to be complete, found ${suffix} left next to it: an I/O error`,
    );
  }
  syncFile(temporary);
  renameSync(temporary, file);
  closeSync(openSync(join(directory, "created"), "w"));
  syncFolder(directory);
}

function syncFile(path: string): void {
  // Windows flushes only what was opened to be written.
  const descriptor = openSync(path, "r+");
  fsyncSync(descriptor);
  closeSync(descriptor);
}

/** Removes the access of other users, which an earlier version may have left: the database contains secrets. */
function restrictAccess(file: string): void {
  for (const path of [file, `${file}-wal`]) {
    try {
      if (existsSync(path)) chmodSync(path, OWNER_ONLY);
    } catch {
      // The file belongs to another user, who decides about it.
    }
  }
}

/** An exclusive connection to a database. */
export function connect(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: 0 });
  // With locking_mode first, the WAL's index lives in this process instead of in a shared file.
  db.exec(`
    PRAGMA locking_mode = EXCLUSIVE;
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA wal_autocheckpoint = 0;
    PRAGMA journal_size_limit = ${LOG_LIMIT_BYTES};
    PRAGMA cache_size = -32768;
    PRAGMA temp_store = MEMORY;
  `);
  return db;
}

/** Checks that a file is a database, and not empty: SQLite takes an empty file for a new one. @throws StoreError `corrupt` */
export function checkHeader(file: string): void {
  const header = Buffer.alloc(MAGIC.length);
  const descriptor = openSync(file, "r");
  const found = readSync(descriptor, header, 0, header.length, 0);
  closeSync(descriptor);
  if (header.toString("latin1") === MAGIC) return;
  const what = found === 0 ? "an empty file" : "something else";
  throw new StoreError("corrupt", `Expected ${file} to be a Keelson database, found ${what}`);
}

const pragmaOf = (db: DatabaseSync, name: string): number => Number(db.prepare(`PRAGMA ${name}`).get()?.[name]);

/** Migrates the tables, one format after the other; a crash leaves a complete database of some format. */
function migrate(db: DatabaseSync, migrations: Migrations): void {
  for (let format = pragmaOf(db, "user_version"); format <= migrations.length; format++) {
    db.exec("BEGIN IMMEDIATE");
    try {
      migrations[format - 1]?.(db);
      db.exec(`PRAGMA user_version = ${format + 1}; COMMIT`);
    } finally {
      if (db.isTransaction) db.exec("ROLLBACK");
    }
  }
}

function checkDatabase(db: DatabaseSync, file: string, newest: number): void {
  const pragma = (name: string): number => pragmaOf(db, name);
  if (pragma("application_id") !== APPLICATION_ID) {
    throw new StoreError("corrupt", `Expected ${file} to be a Keelson database, found one of another program`);
  }
  const format = pragma("user_version");
  if (format > newest) {
    const message = `Expected ${file} to have format ${newest} or an older one, found ${format}: a newer Keelson has written it; use that one`;
    throw new StoreError("failed", message);
  }
  if (format < 1) throw new StoreError("corrupt", `Expected ${file} to have a format, found ${format}`);
  if (format === FORMAT) checkTables(db, file);
  checkCounts(db, file);
  checkOrder(db, file);
}

function checkTables(db: DatabaseSync, file: string): void {
  const unknown = unknownTables(db);
  if (unknown !== undefined) throw new StoreError("corrupt", `Expected ${file} to have our tables, found ${unknown}`);
}

/** The first definition in a database of this format that differs from ours; undefined when there is none. */
export function unknownTables(db: DatabaseSync): string | undefined {
  using ours = new DatabaseSync(":memory:");
  ours.exec(TABLES);
  const expected = definitionsOf(ours);
  const found = definitionsOf(db);
  return found.find((sql, i) => sql !== expected[i]) ?? (found.length < expected.length ? "too few" : undefined);
}

/** Comments and white space may differ between versions. */
function definitionsOf(db: DatabaseSync): string[] {
  const rows = db.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name").all();
  return rows.map((row) => Object.values(row).join(" ").replaceAll(/--.*/g, "").replaceAll(/\s+/g, " "));
}

/** Checks the order of rows: a row in the wrong place of its tree is counted, but not found by its key. */
function checkOrder(db: DatabaseSync, file: string): void {
  for (const [table, what] of [
    ["live", "index"],
    ["log", "log"],
  ]) {
    const found = String(db.prepare(`PRAGMA quick_check(${table})`).get()?.["quick_check"]);
    if (found === "ok") continue;
    throw new StoreError("corrupt", `Expected the ${what} of ${file} to be in order, found: ${found}`);
  }
}

/** Checks the counters: damage can remove rows, or restore old ones, on pages that look valid. */
function checkCounts(db: DatabaseSync, file: string): void {
  const meta = db.prepare("SELECT records, revision_sum, revision FROM meta").get();
  const newest = Number(db.prepare("SELECT max(revision) AS newest FROM log").get()?.["newest"]);
  const live = db.prepare("SELECT count(*) AS records, coalesce(sum(revision), 0) AS revision_sum FROM live").get();
  if (meta === undefined || live === undefined) {
    throw new StoreError("corrupt", `Expected ${file} to hold its counters, found none`);
  }
  if (newest > Number(meta["revision"])) {
    const message = `Expected ${file} to end at revision ${String(meta["revision"])}, found revision ${newest}`;
    throw new StoreError("corrupt", message);
  }
  if (live["records"] === meta["records"] && live["revision_sum"] === meta["revision_sum"]) return;
  const lost = db
    .prepare(
      "SELECT live.key FROM live LEFT JOIN log ON log.revision = live.revision AND log.key = live.key WHERE log.key IS NULL LIMIT 10",
    )
    .all()
    .map((row) => String(row["key"]));
  const keys = lost.length > 0 ? `; records of these keys are damaged: ${lost.join(", ")}` : "";
  throw new StoreError(
    "corrupt",
    `Expected ${file} to hold ${String(meta["records"])} records with revision sum ${String(meta["revision_sum"])}, ` +
      `found ${String(live["records"])} with ${String(live["revision_sum"])}${keys}`,
  );
}
