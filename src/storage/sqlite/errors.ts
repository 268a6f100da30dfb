/**
 * What SQLite's errors mean to the store, and how a StoreError crosses between threads.
 *
 * @module
 */
import { constants } from "node:os";
import { StoreError } from "../contract.ts";
import type { PlainError } from "./protocol.ts";

const SQLITE_ERROR = 1;
const SQLITE_BUSY = 5;
const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_NOTADB = 26;

/** SQLite's primary result code (the low byte of the extended one), undefined for another error. */
function resultCode(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown } | null)?.errcode;
  return typeof code === "number" ? code & 0xff : undefined;
}

/** Whether there was no room for a change; SQLite has undone it. */
export function isFull(error: unknown): boolean {
  const { code, errno } = (error ?? {}) as { code?: unknown; errno?: unknown };
  // Node has no name for a quota that is used up.
  return resultCode(error) === SQLITE_FULL || code === "ENOSPC" || errno === -constants.errno.EDQUOT;
}

/** Whether somebody else holds the lock. */
export function isBusy(error: unknown): boolean {
  return resultCode(error) === SQLITE_BUSY;
}

/** Whether what SQLite found in the file is not what it wrote: among it numbers that no number of ours can be. */
export function isDamage(error: unknown): boolean {
  const code = resultCode(error);
  return code === SQLITE_CORRUPT || code === SQLITE_NOTADB || isOutOfRange(error);
}

const isOutOfRange = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === "ERR_OUT_OF_RANGE";

/**
 * Whether SQLite does not understand a statement of ours, or the file: while a store is being opened that means damage,
 * because the statements are always the same ones.
 */
export function isMisunderstood(error: unknown): boolean {
  return resultCode(error) === SQLITE_ERROR;
}

/** Prepares any error for the way to the main thread; what has no code of its own gets `fallback`. */
export function toPlain(error: unknown, fallback: PlainError["code"]): PlainError {
  if (error instanceof StoreError) {
    const { code, message, key, revision, owner } = error;
    return { code, message, key, revision, owner };
  }
  const message = error instanceof Error ? error.message : String(error);
  if (isDamage(error)) return { code: "corrupt", message: `The database file is damaged: ${message}` };
  if (isFull(error)) return { code: "full", message: `No room on the disk: ${message}` };
  return { code: fallback, message };
}

/** The other end of {@link toPlain}. */
export function fromPlain({ code, message, key, revision, owner }: PlainError): StoreError {
  return new StoreError(code, message, {
    ...(key === undefined ? {} : { key }),
    ...(revision === undefined ? {} : { revision }),
    ...(owner === undefined ? {} : { owner }),
  });
}
