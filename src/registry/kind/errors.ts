/**
 * Turns errors of the store, of the cache and of locks into API errors.
 *
 * @module
 */
import { CacheError } from "../../cache/index.ts";
import {
  MODIFIED,
  alreadyExists,
  ApiError,
  conflict,
  expired,
  forbidden,
  internalError,
  notFound,
  resourceVersionTooLarge,
  storageCorrupt,
  storageFull,
  timeout,
  tooLarge,
  tooManyRequests,
  unavailable,
} from "../../meta/status.ts";
import { StoreError } from "../../storage/contract.ts";
import { LockTimeout } from "../../util/keyed-lock.ts";
import type { Kind } from "./kind.ts";

/** The error of a write that did not get its lock, or lost it; any other error unchanged. */
export function lockError(error: unknown): unknown {
  if (!(error instanceof LockTimeout)) return error;
  const message = `other writes of the object take too long: ${error.message}`;
  if (error.why === "crowded") return tooManyRequests(message, "writers of one object");
  // A write that has begun may have been stored: the client gets no Retry-After.
  return timeout(message, error.why === "waited" ? 1 : undefined);
}

/** The error of a write that the store refused. */
export function storeError(kind: Pick<Kind, "ref">, name: string, cause: unknown): ApiError {
  const error = lockError(cause);
  if (!(error instanceof StoreError)) return failureOf(error);
  switch (error.code) {
    case "exists":
      return alreadyExists(kind.ref, name);
    case "notFound":
      return notFound(kind.ref, name);
    case "conflict":
      return conflict(kind.ref, name, MODIFIED);
    case "readOnly":
      return forbidden(kind.ref, name, "the server only reads: it was started with --read-only");
    case "full":
      return storageFull();
    case "corrupt":
      return storageCorrupt(kind.ref, name);
    case "tooLarge":
      return tooLarge(error.message);
    case "closed":
    case "failed":
      return unavailable("the store is closing");
    case "unavailable":
      return unavailable(`the store cannot be reached: ${error.message}`);
    case "compacted":
      return expired(error.message);
    case "future":
    case "unknown":
      return internalError(error);
    default:
      return internalError(error);
  }
}

/** The error of a read at a revision that the cache does not have. */
export function cacheError(error: unknown, wanted: number, current: number): ApiError {
  return error instanceof CacheError && error.code === "future"
    ? resourceVersionTooLarge(wanted, current)
    : failureOf(error);
}

/** The API error for anything that a request has thrown. A resource may be removed during a request: the client may retry. */
export function failureOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (!(error instanceof CacheError)) return internalError(error);
  switch (error.code) {
    case "compacted":
      return expired("The requested resourceVersion is too old");
    case "closed":
      return unavailable("the resource is not served any more; try again");
    case "failed":
      return unavailable("the resource cannot be served now: its records could not be read; try again");
    default:
      return internalError(error);
  }
}
