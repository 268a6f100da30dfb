/**
 * The storage contract: what all other rooms may rely on, whatever keeps the bytes.
 *
 * A store maps keys to values (opaque bytes) and counts one revision for all of them. It knows nothing of objects,
 * kinds or HTTP.
 *
 * Basics
 * - Every successful write gets the next revision; revisions only grow and are never used twice, not even after a
 *   crash or a restore. Several writes may share one flush, but each has its own revision (see Transactions).
 * - A write is acknowledged (its promise resolves) only when it is on disk, and nobody sees it before that: neither
 *   `get`, `range` nor `watch`.
 * - Before the promise of a write resolves, its event has been handed to every watcher of this store object that has
 *   caught up with the present.
 * - Writes that were called in one order on one key are applied in that order, single ones and those of transactions alike.
 * - A failed write changed nothing, unless it fails with `unknown`: then it may or may not have happened.
 * - Damage is reported by key ({@link StoreError} `corrupt`), never served, and never taken for an empty store.
 *
 * Transactions
 * - {@link Store.transact} carries out several writes as one: all or none. All conditions are checked against the same
 *   state. When one does not hold, nothing is written, and the error is that of the first write whose condition does not
 *   hold, as {@link Store.write} would give it.
 * - Their revisions are consecutive, in the order of the writes, with no other write between them. A store that numbers
 *   transactions and not writes (etcd) gives all of them the same revision. So one revision can belong to several keys, but
 *   never twice to one key.
 * - Nobody sees a part of a transaction: neither `get`, nor a `range` of the present, nor a watcher that has caught up with
 *   the present, which gets all of its events that match in one call, in the order of the writes.
 * - A transaction is durable as one: after a crash or a power cut at any moment all of it is there, or none. `unknown` and
 *   `full` concern all of it. On a full disk it is done where each of its writes would be done alone, and the room that is
 *   kept for such writes is enough for all of them together.
 * - It has at most {@link MAX_TRANSACTION_WRITES} writes with {@link MAX_TRANSACTION_BYTES} of keys and values, else it
 *   fails with `tooLarge`. etcd permits less: `--max-txn-ops` operations in `--max-request-bytes` bytes, as it was started.
 *   A write is one operation; a delete that shows another last value than the one that is stored is two.
 *
 * Caveats
 * - Buffers that a store hands out are shared (and may be views into larger ones), and those that it is given it keeps
 *   for its watchers, as it keeps lists of writes: read them, do not write to them.
 * - A watch from a revision begins after all writes of that revision, and events of one revision always come in one call.
 *   Where the writes of a transaction have revisions of their own, a read at one in the middle shows the writes up to it,
 *   and a watch from there delivers the writes after it.
 * - A key is a non-empty, well-formed string; another one is a mistake of the caller (`TypeError`).
 * - Keys are compared as UTF-8 bytes. `range(prefix)` takes a plain prefix: end it with a separator of your own if
 *   `foo` must not find `foobar`.
 *
 * @module
 */

/** What is stored under a key: opaque bytes. */
export type Bytes = Uint8Array;

/** A stored record. `revision` is that of the last write to the key. */
export interface StoredRecord {
  readonly key: string;
  readonly value: Bytes;
  readonly revision: number;
}

/** One change, as watchers see it. */
export interface StoreEvent {
  readonly type: "put" | "delete";
  readonly key: string;
  /** The revision of this change. */
  readonly revision: number;
  /** The value after a put; the last value before a delete. */
  readonly value: Bytes;
  /** The revision that the key had before, 0 when the change created it. */
  readonly previousRevision: number;
}

/** A condition and a change on one key. */
export type Write =
  /** Stores a key that must not exist yet; else fails with `exists`. */
  | { readonly type: "create"; readonly key: string; readonly value: Bytes }
  /**
   * Replaces a value whose revision must still be `expected`; else fails with `conflict` or `notFound`. With `leaves` what is
   * stored is on its way out: such a write is done where there is room for little else.
   */
  | {
      readonly type: "update";
      readonly key: string;
      readonly value: Bytes;
      readonly expected: number;
      readonly leaves?: boolean;
    }
  /**
   * Removes a key whose revision must still be `expected`; else fails with `conflict` or `notFound`.
   * `value` is what the delete event shows as the last value.
   */
  | { readonly type: "delete"; readonly key: string; readonly value: Bytes; readonly expected: number };

/** What a range read answers: records in key order, as of `revision`. */
export interface RangeResult {
  readonly records: readonly StoredRecord[];
  /** The revision at which this is the whole truth. */
  readonly revision: number;
  /** Whether `limit` cut the answer short. */
  readonly more: boolean;
}

/** Options of a range read. */
export interface RangeOptions {
  /** Starts at this key (included) instead of at the prefix. */
  readonly start?: string;
  /** At most this many records; no limit by default. */
  readonly limit?: number;
  /** Reads as of this revision (within the history that is kept, else `compacted`); the newest by default. */
  readonly revision?: number;
}

/**
 * Gets every event once, in order of revision. Events that were committed together come in one call; only a watcher that
 * is still catching up may get them joined with others, or split.
 */
export interface StoreWatcher {
  events(batch: readonly StoreEvent[]): void;
  /** All events up to `revision` have been delivered, although none of them may have matched. Optional for backends. */
  progress?(revision: number): void;
  /** The stream ended and nothing will follow; `compacted` when the start is no longer kept. */
  ended(error: StoreError): void;
}

/** A version of a key, as the history shows it. */
export interface StoredVersion {
  readonly type: "put" | "delete";
  readonly revision: number;
  /** The value after a put; the last value before a delete. */
  readonly value: Bytes;
  /** The revision that the key had before, 0 when this version created it. */
  readonly previousRevision: number;
  /** Wall time of the write in milliseconds; undefined where the store does not keep it. */
  readonly time: number | undefined;
}

/** Bounds of {@link Store.history}; none by default. */
export interface HistoryBounds {
  readonly limit?: number;
  /** Bytes of all values together: the answer ends with the version that reaches this, the second one at the earliest. */
  readonly bytes?: number;
}

/** What {@link Store.history} answers. */
export interface KeyHistory {
  /** Newest first. */
  readonly versions: readonly StoredVersion[];
  /** Whether a bound cut the answer short. */
  readonly more: boolean;
  /** The history before this revision is gone; a version at or before it is shown when it is the one that was left. */
  readonly compactedRevision: number;
}

/** A revision that stays readable. */
export interface Pin {
  readonly revision: number;
  /** Lets it go; calling it again does nothing. */
  release(): void;
}

/** A running watch. */
export interface StoreWatch {
  close(): void;
}

/** Figures of a store, for `/metrics` and `keelson info`. */
export interface StoreStats {
  readonly revision: number;
  /** The oldest revision that can still be read or watched from. */
  readonly compactedRevision: number;
  readonly records: number;
  /** Bytes on disk (or in memory), all files together. */
  readonly bytes: number;
  /** Flushes so far and the writes that they carried. */
  readonly flushes: number;
  readonly writes: number;
  /** Milliseconds of the last flushes, newest last; at most 1000 since the last call. */
  readonly flushMillis: readonly number[];
}

/** How much room a store has. */
export interface StoreRoom {
  /** Whether a write was refused with `full`, and room is still short: writes that make some are done, and reads. */
  readonly full: boolean;
  /** Bytes that can be written, without the reserve. */
  readonly freeBytes: number;
  /** Bytes that are kept for writes that make room. */
  readonly reserveBytes: number;
}

/** A store that is open. */
export interface Store {
  /** The newest revision that this process has seen committed. */
  readonly revision: number;

  /** Carries out one write and resolves to its revision once it is durable. Rejects with {@link StoreError}. */
  write(write: Write): Promise<number>;

  /**
   * Carries out several writes as one: all or none, durable as one, seen as one. Resolves to their revisions, in the order
   * of the writes, once they are durable; at once to none when there are no writes. One write is the same as {@link write}.
   * Rejects with {@link StoreError}, and with `TypeError` when a key stands twice.
   */
  transact(writes: readonly Write[]): Promise<readonly number[]>;

  /** The record of a key, or undefined. Always the newest committed state. */
  get(key: string): Promise<StoredRecord | undefined>;

  /** The records whose key begins with `prefix`, in key order. */
  range(prefix: string, options?: RangeOptions): Promise<RangeResult>;

  /**
   * Delivers every change after revision `after` to a key that begins with `prefix`. Changes that are already stored
   * are delivered first (asynchronously), then new ones as they are committed. Ends with `compacted` when `after` is
   * older than the history, with `future` when it is newer than the store. Throws when the store is closed or failed.
   */
  watch(prefix: string, after: number, watcher: StoreWatcher): StoreWatch;

  /**
   * Forgets the history up to `revision`, in small steps: what only a read or watch from before `revision` could see.
   * Reading and watching from `revision` itself still work. Rejects with `future` when it is newer than the store.
   */
  compact(revision: number): Promise<void>;

  /**
   * The newest revision of the whole store, asked of whoever decides it: for an embedded store the same as
   * `revision`, for a shared one a round trip.
   */
  currentRevision(): Promise<number>;

  stats(): Promise<StoreStats>;

  /**
   * Whether other processes write to it, too: then those who share it elect which of them compacts it and runs controllers.
   * A store of one process compacts itself. False where it is not there.
   */
  readonly isShared?: boolean;

  /** How much room there was at the last look, a second ago at most. Optional for backends. */
  readonly room?: StoreRoom | undefined;

  /**
   * The versions of a key that are kept, also when the key is not there any more: those that a read at some revision
   * within the history would show, and its deletes. Rejects with `corrupt` when one of them is damaged. Optional for
   * backends.
   */
  readonly history?: ((key: string, bounds?: HistoryBounds) => Promise<KeyHistory>) | undefined;

  /**
   * Keeps the newest revision readable until it is released, whatever the bounds of the history say: for a long read
   * that must be of one revision. Optional for backends; without it such a read can end with `compacted`.
   */
  readonly pin?: (() => Promise<Pin>) | undefined;

  /**
   * Whether the value of a key is stored in another form than the one that a write would give it now, such as with an
   * older key. Only where values are stored in another form than they are given.
   */
  isOutdated?(key: string): Promise<boolean>;

  /** Flushes, releases the lock and closes. Writes that are under way end first. */
  close(): Promise<void>;

  /** Resolves when the store has failed for good and the process must end: what the disk holds is unknown. */
  readonly failed: Promise<StoreError>;
}

/** Why a store refused; see {@link StoreError.code}. */
export type StoreErrorCode =
  | "exists" // create of a key that is there
  | "notFound" // update or delete of a key that is not there
  | "conflict" // the key has another revision than expected
  | "compacted" // the revision is older than the history that is kept
  | "future" // the revision is newer than the store
  | "full" // no room on the disk; reads and deletes go on, other writes when there is room again
  | "corrupt" // a record's checksum does not fit
  | "notEncrypted" // the value cannot be encrypted now; nothing was written
  | "tooLarge" // the value or the transaction is over the store's limit
  | "unknown" // the write may or may not have happened
  | "unavailable" // a shared store cannot be reached now; a write that fails so has not happened
  | "inUse" // another process has the directory
  | "gone" // the files of the store were removed, replaced or cut off under it
  | "readOnly" // the store is only read
  | "failed" // the store has failed for good
  | "closed"; // the store is closed

/** An error of a store. `revision` is the one that the key has, `owner` the process that has the directory, where known. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: StoreErrorCode;
  readonly key: string | undefined;
  readonly revision: number | undefined;
  readonly owner: number | undefined;

  constructor(
    code: StoreErrorCode,
    message: string,
    details: { key?: string; revision?: number; owner?: number; cause?: unknown } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.key = details.key;
    this.revision = details.revision;
    this.owner = details.owner;
  }
}

/** Largest value that a store takes: 1.5 MiB, the limit of etcd, so that objects can move there. */
export const MAX_VALUE_BYTES: number = 1_572_864;

/** Most writes of one transaction. */
export const MAX_TRANSACTION_WRITES = 4096;

/** Most bytes of the keys and values of one transaction of several writes: 8 MiB. */
export const MAX_TRANSACTION_BYTES: number = 8 << 20;
