/**
 * The lock on a data directory: one process at a time, and no lock outlives its process.
 *
 * Node has no flock, but SQLite locks files through the kernel (fcntl): an open transaction on a small database of its own is a
 * lock that the kernel releases when the process ends in any way. The file `owner` only serves messages.
 *
 * Invariant: only SQLite opens the file `lock`. Closing any other descriptor of it would release the lock (fcntl(2)).
 *
 * @module
 */
import { closeSync, constants, existsSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StoreError } from "../contract.ts";
import { isBusy } from "./errors.ts";

/** The length of the `owner` file: longer than any process id. */
const OWNER_BYTES = 12;

/** A held lock. */
export interface DirectoryLock {
  release(): void;
}

/** Locks `directory`. @throws StoreError `inUse` with the process that holds the lock */
export function lockDirectory(directory: string): DirectoryLock {
  const lock = locked(directory, new DatabaseSync(join(directory, "lock"), { timeout: 0 }), [
    "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = OFF; BEGIN EXCLUSIVE",
  ]);
  try {
    writeOwner(join(directory, "owner"));
  } catch {
    // No space for the file: the lock holds without it.
  }
  return lock;
}

/**
 * Shares the lock on `directory` with other readers; writes nothing. A directory without a lock file was never written to.
 *
 * @throws StoreError `inUse` with the process that writes
 */
export function shareDirectory(directory: string): DirectoryLock {
  const file = join(directory, "lock");
  if (!existsSync(file)) return { release() {} };
  const lock = new DatabaseSync(file, { timeout: 0, readOnly: true });
  return locked(directory, lock, ["BEGIN", "SELECT count(*) FROM sqlite_schema"]);
}

function locked(directory: string, lock: DatabaseSync, statements: readonly string[]): DirectoryLock {
  try {
    for (const statement of statements) lock.exec(statement);
    return { release: () => lock.close() };
  } catch (error) {
    lock.close();
    if (!isBusy(error)) throw error;
    const pid = pidIn(join(directory, "owner"));
    const who = pid === undefined ? "another process" : `process ${pid}`;
    const details = pid === undefined ? {} : { owner: pid };
    throw new StoreError("inUse", `The data directory ${directory} is in use by ${who}`, details);
  }
}

/** Overwrites the file in place, which needs no space on a full disk. */
function writeOwner(file: string): void {
  const descriptor = openSync(file, constants.O_WRONLY | constants.O_CREAT, 0o600);
  try {
    writeSync(descriptor, `${process.pid}\n`.padStart(OWNER_BYTES));
  } finally {
    closeSync(descriptor);
  }
}

function pidIn(owner: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(owner, "utf8"), 10);
    return Number.isSafeInteger(pid) ? pid : undefined;
  } catch {
    return undefined;
  }
}
