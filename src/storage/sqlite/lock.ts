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
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StoreError } from "../contract.ts";
import { isBusy } from "./errors.ts";

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
  const lock = new DatabaseSync(join(directory, "lock"), { timeout: 0 });
  const owner = join(directory, "owner");
  try {
    lock.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = OFF; BEGIN EXCLUSIVE");
  } catch (error) {
    lock.close();
    if (!isBusy(error)) throw error;
    const pid = pidIn(owner);
    const who = pid === undefined ? "another process" : `process ${pid}`;
    const details = pid === undefined ? {} : { owner: pid };
    throw new StoreError("inUse", `The data directory ${directory} is in use by ${who}`, details);
  }
  try {
    writeFileSync(owner, `${process.pid}\n`);
  } catch {
    // No room for the note: the lock holds without it.
  }
  return { release: () => lock.close() };
}

function pidIn(owner: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(owner, "utf8"), 10);
    return Number.isSafeInteger(pid) ? pid : undefined;
  } catch {
    return undefined;
  }
}
