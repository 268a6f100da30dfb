import { StoreError } from "../storage/contract.ts";

/** Why the cache refused; see {@link CacheError.code}. */
export type CacheErrorCode =
  | "compacted" // the revision is older than what memory and store still have
  | "future" // the revision is beyond the present and did not come in time
  | "closed" // the cache is closed, or the resource is no longer served
  | "failed"; // the store, an entry factory or a sink failed; `cause` says how

/** An error of the cache: what a call throws, or why a watch ended. */
export class CacheError extends Error {
  override readonly name = "CacheError";
  readonly code: CacheErrorCode;

  constructor(code: CacheErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}

/** The error for a revision whose history is gone; `oldest` is the first revision that can still be had. */
export const compacted = (revision: number, oldest: number): CacheError =>
  new CacheError("compacted", `Expected a revision of at least ${oldest}, got ${revision}: its history is gone`);

/** The error for a revision that the cache has not seen yet. */
export const future = (revision: number, newest: number): CacheError =>
  new CacheError("future", `Expected a revision of at most ${newest}, got ${revision}`);

/** The error for everything that is asked of a closed cache or resource. */
export const closed = (what: string): CacheError =>
  new CacheError("closed", `Expected ${what} to be open: it is closed`);

/** The end of a watch that would have to show what cannot be read. */
export const unreadable = (prefix: string): CacheError =>
  new CacheError("failed", `Expected all of ${prefix} to be readable, something is not`);

/** What an error of the store means for those who read or watch the cache. */
export function cacheErrorOf(error: StoreError): CacheError {
  const code = error.code === "compacted" || error.code === "future" || error.code === "closed" ? error.code : "failed";
  return new CacheError(code, error.message, error);
}

/** Throws what an error means: those of the store in our words, all others as they are. */
export function fromStore(error: unknown): never {
  throw error instanceof StoreError ? cacheErrorOf(error) : error;
}
