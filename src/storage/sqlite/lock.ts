/**
 * The lock on a data directory: one process at a time, and no lock outlives its process.
 *
 * Node has no flock, but SQLite locks files through the kernel (fcntl): a transaction that is held open on a small
 * database of its own is a lock that the kernel takes back when the process ends, however it ends. `owner` beside it
 * is a note for people and for the message of the one who is refused; it decides nothing.
 *
 * Invariant: nobody opens the file `lock` but SQLite. Closing any other descriptor of it would drop the lock
 * (fcntl(2)).
 *
 * @module
 */
import { closeSync, constants, existsSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StoreError } from "../contract.ts";
import { isBusy } from "./errors.ts";

/** Length of the note: more than any number of a process. */
const OWNER_BYTES = 12;

/** A lock that is held. */
export interface DirectoryLock {
  release(): void;
}

/**
 * Takes the lock on `directory`.
 *
 * @throws StoreError `inUse`, naming the process that has it
 */
export function lockDirectory(directory: string): DirectoryLock {
  const lock = locked(directory, new DatabaseSync(join(directory, "lock"), { timeout: 0 }), [
    "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = OFF; BEGIN EXCLUSIVE",
  ]);
  try {
    writeOwner(join(directory, "owner"));
  } catch {
    // No room for the note: the lock holds without it.
  }
  return lock;
}

/**
 * Takes part in the lock on `directory`, with others that only read; writes nothing. Where there is no lock, nobody has ever
 * written there.
 *
 * @throws StoreError `inUse`, naming the process that writes
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

/** In place, so that a full disk has room for it as well. */
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
