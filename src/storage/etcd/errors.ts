/**
 * Translates the errors of etcd to those of the storage contract.
 *
 * @module
 */
import { StoreError } from "../contract.ts";
import { CODES, GrpcError } from "../../grpc/error.ts";
import { messageOf } from "../../util/error.ts";

const has = (error: unknown, text: string): boolean => error instanceof GrpcError && error.message.includes(text);

/** The revision of the request was compacted. */
export const isCompacted = (error: unknown): boolean => has(error, "required revision has been compacted");

/** The revision of the request is newer than the member. */
export const isFuture = (error: unknown): boolean => has(error, "required revision is a future revision");

/** The request is over `--max-request-bytes`; gRPC refuses one that is far over it before etcd sees it. */
export const isTooLarge = (error: unknown): boolean =>
  has(error, "request is too large") || has(error, "received message larger than max");

/** The transaction is over `--max-txn-ops`. */
const hasTooManyOperations = (error: unknown): boolean => has(error, "too many operations in txn request");

/** The database has reached `--quota-backend-bytes`. */
const isFull = (error: unknown): boolean => has(error, "database space exceeded");

/**
 * Whether a request certainly had no effect and may succeed on another member or later: it was not sent, or a member without a
 * leader or with too much load refused it.
 */
export function isRefusedForNow(error: unknown): boolean {
  if (!(error instanceof GrpcError)) return false;
  return !error.sent || error.message === "etcdserver: no leader" || has(error, "too many requests");
}

/** Whether a failed read may be repeated: a connection, a member or an election failed it. */
export const isTransient = (error: unknown): boolean =>
  error instanceof GrpcError &&
  (error.code === CODES.unavailable || error.code === CODES.deadlineExceeded || has(error, "too many requests"));

/** A write that was sent. */
export interface SentWrite {
  /** The keys, for messages. */
  readonly name: string;
  /** The first key. */
  readonly key: string;
  readonly operations: number;
  /** Bytes of the request. */
  readonly bytes: number;
}

/** The error of a write that was sent and not acknowledged. */
export function writeError({ name, key, operations, bytes }: SentWrite, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const details = { key, cause: error };
  const why = messageOf(error);
  if (isTooLarge(error)) {
    const message = `Expected ${name} to fit in a request of etcd, found ${bytes} bytes: write less at once, or start etcd with a larger --max-request-bytes`;
    return new StoreError("tooLarge", message, details);
  }
  if (hasTooManyOperations(error)) {
    const message = `Expected no more operations than etcd takes at once, found ${operations} for ${name}: write less at once, or start etcd with a larger --max-txn-ops`;
    return new StoreError("tooLarge", message, details);
  }
  if (isFull(error)) return new StoreError("full", `No space for ${name} in etcd: its quota is used up`, details);
  if (isRefusedForNow(error) || (error instanceof GrpcError && !isTransient(error) && error.code !== CODES.unknown)) {
    return new StoreError("unavailable", `${name} was not written: ${why}`, details);
  }
  return new StoreError("unknown", `It is unknown whether ${name} was written: ${why}`, details);
}

/** The error of a read that is not repeated. */
export function readError(what: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const why = messageOf(error);
  return new StoreError("unavailable", `${what} could not be read from etcd: ${why}`, { cause: error });
}
