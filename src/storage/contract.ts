/**
 * The storage contract: what every backend guarantees to the other rooms.
 *
 * A store maps keys to values (opaque bytes) and counts one revision for all of them. It knows nothing of objects,
 * kinds or HTTP.
 *
 * Basics
 * - Every successful write gets the next revision. Revisions only grow and are never used twice, also after a crash or a
 *   restore. Several writes may share one flush, but each has its own revision (see Transactions).
 * - The promise of a write resolves when the write is on disk. `get`, `range` and `watch` do not show it before.
 * - Before that promise resolves, every watcher of this store object that has caught up has received the event.
 * - Writes to one key are applied in the order of their calls, single writes and transactions alike.
 * - A failed write changed nothing, unless it fails with `unknown`: then it may or may not have happened.
 * - Damage is reported by key ({@link StoreError} `corrupt`), never served, and never taken for an empty store.
 *
 * Transactions
 * - {@link Store.transact} applies several writes or none. All conditions are checked against the same state. When one
 *   does not hold, nothing is written, and the error is the one that {@link Store.write} would give for the first such write.
 * - Their revisions are consecutive, in the order of the writes, with no other write between them. A store that counts
 *   transactions (etcd) gives all of them the same revision. So one revision can belong to several keys, but only once to
 *   each key.
 * - No reader sees a part of a transaction: neither `get`, nor a `range` of the newest revision, nor a watcher that has
 *   caught up, which gets all matching events in one call, in the order of the writes.
 * - A transaction is durable as a whole: after a crash or a power cut all of it exists, or nothing. `unknown` and `full`
 *   apply to all of it. On a full disk it succeeds when each of its writes would succeed alone; the reserve is large enough
 *   for all of them.
 * - It has at most {@link MAX_TRANSACTION_WRITES} writes with {@link MAX_TRANSACTION_BYTES} of keys and values, else it
 *   fails with `tooLarge`. etcd has its own limits: `--max-txn-ops` operations in `--max-request-bytes` bytes. A write is one
 *   operation; a delete whose `value` differs from the stored one is two.
 *
 * Caveats
 * - Buffers that a store returns are shared (and may be views of larger ones); it also keeps the buffers and lists of writes
 *   for its watchers. Do not change them.
 * - A watch from a revision begins after all writes of that revision, and events of one revision always come in one call.
 *   Where the writes of a transaction have revisions of their own, a read at one of them shows the writes up to it, and a
 *   watch from it delivers the writes after it.
 * - A key is a non-empty, well-formed string; any other key is a bug of the caller (`TypeError`).
 * - Keys are compared as UTF-8 bytes. `range(prefix)` takes a plain prefix: end it with a separator if `foo` must not find
 *   `foobar`.
 *
 * @module
 */

/** A stored value: opaque bytes. */
export type Bytes = Uint8Array;

/** A stored record. `revision` is that of the last write to the key. */
export interface StoredRecord {
  readonly key: string;
  readonly value: Bytes;
  readonly revision: number;
}

/** One change. */
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
   * Replaces a value whose revision must still be `expected`; else fails with `conflict` or `notFound`. `leaves` marks an
   * object that is being deleted: such a write may use the reserve of a full disk.
   */
  | {
      readonly type: "update";
      readonly key: string;
      readonly value: Bytes;
      readonly expected: number;
      readonly leaves?: boolean;
    }
  /**
   * Deletes a key whose revision must still be `expected`; else fails with `conflict` or `notFound`. The delete event has
   * `value` as the last value.
   */
  | { readonly type: "delete"; readonly key: string; readonly value: Bytes; readonly expected: number };

/** The result of a range read: records in key order, as of `revision`. */
export interface RangeResult {
  readonly records: readonly StoredRecord[];
  readonly revision: number;
  /** Whether `limit` left records out. */
  readonly more: boolean;
}

/** Options of a range read. */
export interface RangeOptions {
  /** Starts at this key (included) instead of at the prefix. */
  readonly start?: string;
  /** At most this many records; no limit by default. */
  readonly limit?: number;
  /** Reads as of this revision (`compacted` when it is older than the history); the newest by default. */
  readonly revision?: number;
}

/**
 * Receives every event once, in order of revision. Events that were committed together come in one call; only during
 * catch-up they may be joined with others, or split.
 */
export interface StoreWatcher {
  events(batch: readonly StoreEvent[]): void;
  /** All events up to `revision` were delivered, even when none matched. */
  progress?(revision: number): void;
  /** The watch ended; `compacted` when its start is older than the history. */
  ended(error: StoreError): void;
}

/** A version of a key in its history. */
export interface StoredVersion extends Omit<StoreEvent, "key"> {
  /** Wall time of the write in milliseconds; undefined where the store does not record it. */
  readonly time: number | undefined;
}

/** Bounds of {@link Store.history}; none by default. */
export interface HistoryBounds {
  readonly limit?: number;
  /** Bytes of all values together: the result ends with the version that reaches them, but not before the second. */
  readonly bytes?: number;
}

/** The result of {@link Store.history}. */
export interface KeyHistory {
  /** Newest first. */
  readonly versions: readonly StoredVersion[];
  /** Whether a bound left versions out. */
  readonly more: boolean;
  /** Older history was compacted; the newest version up to this revision is shown where it is kept. */
  readonly compactedRevision: number;
}

/** A revision, and the wall time of its write in milliseconds. */
export interface StoreMoment {
  readonly revision: number;
  readonly time: number;
}

/** The result of {@link Store.moments}. */
export interface StoreMoments {
  /** The oldest revision that can still be read. */
  readonly compactedRevision: number;
  /** The first and the last write of the history; absent where it has none. */
  readonly oldest?: StoreMoment;
  readonly newest?: StoreMoment;
  /** For each requested time the last write at or before it; undefined where that is older than the history. */
  readonly found: readonly (StoreMoment | undefined)[];
}

/** How many times one call of {@link Store.moments} may ask for. */
export const MAX_MOMENTS = 200;

/** Keeps a revision readable. */
export interface Pin {
  readonly revision: number;
  /** Ends it; a second call does nothing. */
  release(): void;
}

/** A running watch. */
export interface StoreWatch {
  close(): void;
}

/** Statistics of a store, for `/metrics` and `keelson info`. */
export interface StoreStats {
  readonly revision: number;
  /** The oldest revision that can still be read or watched from. */
  readonly compactedRevision: number;
  readonly records: number;
  /** Bytes on disk (or in memory), of all files. */
  readonly bytes: number;
  /** Flushes so far and their writes. */
  readonly flushes: number;
  readonly writes: number;
  /** Milliseconds of the flushes since the last call, newest last; at most 1000. */
  readonly flushMillis: readonly number[];
}

/** The disk space of a store. */
export interface StoreSpace {
  /** Whether a write failed with `full` and space is still short: only reads, and writes that free space, succeed. */
  readonly full: boolean;
  /** Bytes that can be written, without the reserve. */
  readonly freeBytes: number;
  /** Bytes that are reserved for writes that free space. */
  readonly reserveBytes: number;
}

/** An open store. */

/** A store that is open. */
export interface Store {
  /** The newest revision that this process has seen committed. */
  readonly revision: number;

  /** Applies one write and resolves to its revision once it is durable. Rejects with {@link StoreError}. */
  write(write: Write): Promise<number>;

  /**
   * Applies several writes or none. Resolves to their revisions, in the order of the writes, once they are durable; without
   * writes at once to none. One write is the same as {@link write}. Rejects with {@link StoreError}, and with `TypeError`
   * when a key occurs twice.
   */
  transact(writes: readonly Write[]): Promise<readonly number[]>;

  /** The newest committed record of a key, or undefined. */
  get(key: string): Promise<StoredRecord | undefined>;

  /** The records whose key begins with `prefix`, in key order. */
  range(prefix: string, options?: RangeOptions): Promise<RangeResult>;

  /**
   * Delivers every change after revision `after` to a key that begins with `prefix`: first (asynchronously) changes that are
   * stored already, then new ones when they are committed. Ends with `compacted` when `after` is older than the history, with
   * `future` when it is newer than the store. Throws when the store is closed or failed.
   */
  watch(prefix: string, after: number, watcher: StoreWatcher): StoreWatch;

  /**
   * Deletes the history before `revision`, in small steps. Reads and watches from `revision` still work. Rejects with
   * `future` when it is newer than the store.
   */
  compact(revision: number): Promise<void>;

  /** The newest revision of the whole store: of an embedded store the same as `revision`, of a shared one a round trip. */
  currentRevision(): Promise<number>;

  stats(): Promise<StoreStats>;

  /**
   * Whether other processes write to the store, too. The servers of a shared store elect the one that compacts it and runs
   * controllers; any other store compacts itself. False by default.
   */
  readonly isShared?: boolean;

  /** The disk space, at most a second old. Optional for backends. */
  readonly space?: StoreSpace | undefined;

  /**
   * The versions of a key in the history, also of a deleted one: what reads at its revisions would show, and the deletes.
   * Rejects with `corrupt` when one of them is damaged. Optional for backends.
   */
  readonly history?: ((key: string, bounds?: HistoryBounds) => Promise<KeyHistory>) | undefined;

  /**
   * Which revisions were written when, for at most {@link MAX_MOMENTS} wall times in milliseconds; the work grows with their number
   * and with the logarithm of the history. Where the clock was set back, it finds one of the writes that fit. Optional for backends;
   * absent where no times are stored.
   */
  readonly moments?: ((times: readonly number[]) => Promise<StoreMoments>) | undefined;

  /**
   * Keeps the newest revision readable until it is released, beyond the bounds of the history: for a long read at one
   * revision. Optional for backends; without it such a read can end with `compacted`.
   */
  readonly pin?: (() => Promise<Pin>) | undefined;

  /**
   * Whether the value of a key is stored in another form than a write would give it now, such as with an older key. Only in
   * stores that transform values.
   */
  isOutdated?(key: string): Promise<boolean>;

  /** Flushes, releases the lock and closes, after the running writes. */
  close(): Promise<void>;

  /** Resolves when the store has failed for good and the process must end: the state of the disk is unknown. */
  readonly failed: Promise<StoreError>;
}

/** The reason of a {@link StoreError}. */
export type StoreErrorCode =
  | "exists" // create of a key that exists
  | "notFound" // update or delete of a key that does not exist
  | "conflict" // the key has another revision than expected
  | "compacted" // the revision is older than the history
  | "future" // the revision is newer than the store
  | "full" // no disk space; reads and deletes succeed, other writes when there is space again
  | "corrupt" // a record's checksum does not match
  | "notEncrypted" // the value cannot be encrypted now; nothing was written
  | "tooLarge" // the value or the transaction is over the store's limit
  | "unknown" // the write may or may not have happened
  | "unavailable" // a shared store cannot be reached now; the write has not happened
  | "inUse" // another process has locked the directory
  | "gone" // the files of the store were removed, replaced or truncated while it was open
  | "readOnly" // the store is open for reads only
  | "failed" // the store has failed for good
  | "closed"; // the store is closed

/** An error of a store. `revision` is the current one of the key, `owner` the process that has locked the directory. */
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

/** The largest value: 1.5 MiB, the limit of etcd, so that objects can be moved there. */
export const MAX_VALUE_BYTES: number = 1_572_864;

/** The number of writes of one transaction. */
export const MAX_TRANSACTION_WRITES = 4096;

/** The bytes of keys and values of one transaction of several writes: 8 MiB. */
export const MAX_TRANSACTION_BYTES: number = 8 << 20;
