/**
 * Classifies the errors of SQLite, and converts StoreErrors for messages between threads.
 *
 * @module
 */
import { constants } from "node:os";
import { StoreError } from "../contract.ts";
import type { PlainError } from "./protocol.ts";
import { codeOf, messageOf } from "../../util/error.ts";

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

/** Whether a change failed for lack of space; SQLite has undone it. */
export function isFull(error: unknown): boolean {
  const { code, errno } = (error ?? {}) as { code?: unknown; errno?: unknown };
  // Node has no name for an exceeded quota.
  return resultCode(error) === SQLITE_FULL || code === "ENOSPC" || errno === -constants.errno.EDQUOT;
}

/** Whether another process holds the lock. */
export function isBusy(error: unknown): boolean {
  return resultCode(error) === SQLITE_BUSY;
}

/** Whether the file is damaged: SQLite says so, or a number is out of range. */
export function isDamage(error: unknown): boolean {
  const code = resultCode(error);
  return code === SQLITE_CORRUPT || code === SQLITE_NOTADB || isOutOfRange(error);
}

const isOutOfRange = (error: unknown): boolean => codeOf(error) === "ERR_OUT_OF_RANGE";

/**
 * Whether SQLite does not understand a statement or the file. When a store is opened this means damage, because the
 * statements are constant.
 */
export function isMisunderstood(error: unknown): boolean {
  return resultCode(error) === SQLITE_ERROR;
}

/** Converts an error for a message; one without a code of its own gets `fallback`. */
export function toPlain(error: unknown, fallback: PlainError["code"]): PlainError {
  if (error instanceof StoreError) {
    const { code, message, key, revision, owner } = error;
    return { code, message, key, revision, owner };
  }
  const message = messageOf(error);
  if (isDamage(error)) return { code: "corrupt", message: `The database file is damaged: ${message}` };
  if (isFull(error)) return { code: "full", message: `No space on the disk: ${message}` };
  return { code: fallback, message };
}

/** Reverses {@link toPlain}. */
export function fromPlain({ code, message, key, revision, owner }: PlainError): StoreError {
  return new StoreError(code, message, {
    ...(key === undefined ? {} : { key }),
    ...(revision === undefined ? {} : { revision }),
    ...(owner === undefined ? {} : { owner }),
  });
}
