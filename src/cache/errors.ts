import { StoreError } from "../storage/contract.ts";

/** The reason of a {@link CacheError}. */
export type CacheErrorCode =
  | "compacted" // the revision is older than the history in memory and in the store
  | "future" // the revision is newer than the cache and did not arrive in time
  | "closed" // the cache is closed, or the resource is no longer served
  | "failed"; // the store, an entry factory or a sink failed; `cause` says how

/** An error of the cache: a call throws it, or a watch ends with it. */
export class CacheError extends Error {
  override readonly name = "CacheError";
  readonly code: CacheErrorCode;

  constructor(code: CacheErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

/** The error of a revision whose history was compacted; `oldest` is the first available revision. */
export const compacted = (revision: number, oldest: number): CacheError =>
  new CacheError("compacted", `Expected a revision of at least ${oldest}, got ${revision}: its history is gone`);

/** The error of a revision that the cache does not have yet. */
export const future = (revision: number, newest: number): CacheError =>
  new CacheError("future", `Expected a revision of at most ${newest}, got ${revision}`);

/** The error of a closed cache or resource. */
export const closed = (what: string): CacheError =>
  new CacheError("closed", `Expected ${what} to be open: it is closed`);

/** The error of a watch whose next event would contain an unreadable object. */
export const unreadable = (prefix: string): CacheError =>
  new CacheError("failed", `Expected all of ${prefix} to be readable, something is not`);

/** Translates an error of the store. */
export function cacheErrorOf(error: StoreError): CacheError {
  const code = error.code === "compacted" || error.code === "future" || error.code === "closed" ? error.code : "failed";
  return new CacheError(code, error.message, error);
}

/** Throws the translation of a StoreError, and any other error as it is. */
export function fromStore(error: unknown): never {
  throw error instanceof StoreError ? cacheErrorOf(error) : error;
}
