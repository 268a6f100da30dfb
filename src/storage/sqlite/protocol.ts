/**
 * What the main thread and the writer thread say to each other: plain messages, and packed buffers that change hands.
 *
 * One batch of writes is in flight at a time. Its buffer goes over, is filled in with the outcomes, and comes back in
 * the answer, to be used again for the next batch.
 *
 * @module
 */
import type { StoredVersion, StoreErrorCode, StoreRoom, StoreStats } from "../contract.ts";

/** How the store is opened; see `SqliteStoreOptions` for the meaning of the fields. */
export interface OpenOptions {
  readonly directory: string;
  readonly historyMillis: number;
  readonly historyMaxShare: number;
  readonly historyMinBytes: number;
  readonly maxBytes: number;
}

/** What the thread of a store is started with. */
export interface ThreadOptions extends OpenOptions {
  /** See `SqliteStoreOptions`. */
  readonly givesMemoryBack: boolean;
}

/** Main thread to writer. `now` is the wall time in milliseconds; `id` comes back in the answer. */
export type Request =
  | { readonly type: "write"; readonly now: number; readonly count: number; readonly buffer: ArrayBuffer }
  | { readonly type: "get"; readonly id: number; readonly key: string }
  | {
      readonly type: "range";
      readonly id: number;
      readonly prefix: string;
      readonly start: string | undefined;
      readonly limit: number;
      readonly revision: number | undefined;
    }
  | { readonly type: "log"; readonly id: number; readonly prefix: string; readonly after: number }
  /** Compacts one step towards `revision` and towards the limits of the history. */
  | { readonly type: "compact"; readonly id: number; readonly now: number; readonly revision: number }
  /** Versions of a key from `from` downwards: one step; the answer says where the next one begins. */
  | {
      readonly type: "history";
      readonly id: number;
      readonly key: string;
      readonly from: HistoryPlace | undefined;
      readonly limit: number;
    }
  | { readonly type: "pin"; readonly id: number }
  | { readonly type: "release"; readonly id: number; readonly pin: number }
  | { readonly type: "stats"; readonly id: number }
  /** Looks after files and room. */
  | { readonly type: "look"; readonly id: number; readonly now: number }
  | { readonly type: "close"; readonly id: number };

/** Where a walk through the history of a key stands: at a version of it, or among versions of anything. */
export type HistoryPlace = { readonly at: number } | { readonly below: number };

/** What the worker knows of its size for {@link StoreStats}. */
export type WorkerStats = Pick<StoreStats, "revision" | "compactedRevision" | "records" | "bytes">;

/** Writer to main thread. */
export type Reply =
  | { readonly type: "opened"; readonly revision: number; readonly compacted: number; readonly room: StoreRoom }
  /** The batch was committed (or, with `full`, refused whole for want of room); outcomes are in the buffer. */
  | {
      readonly type: "written";
      readonly buffer: ArrayBuffer;
      readonly revision: number;
      readonly compacted: number;
      readonly millis: number;
      /** Whether the store has no room; see `Store.room`. */
      readonly full: boolean;
    }
  /** Some records of a get, range or log; `done` marks the last message for the id. */
  | {
      readonly type: "records";
      readonly id: number;
      readonly buffer: ArrayBuffer;
      readonly rows: Float64Array;
      readonly done: boolean;
      readonly revision: number;
      readonly more: boolean;
    }
  | { readonly type: "compacted"; readonly id: number; readonly compacted: number; readonly more: boolean }
  | {
      readonly type: "history";
      readonly id: number;
      readonly versions: readonly StoredVersion[];
      readonly next: HistoryPlace | undefined;
      readonly compacted: number;
    }
  | { readonly type: "pinned"; readonly id: number; readonly revision: number }
  | { readonly type: "stats"; readonly id: number; readonly stats: WorkerStats }
  | { readonly type: "looked"; readonly id: number; readonly room: StoreRoom }
  | { readonly type: "closed"; readonly id: number }
  | { readonly type: "refused"; readonly id: number; readonly error: PlainError }
  /** The store has failed for good (or could not be opened); nothing follows. */
  | { readonly type: "failed"; readonly error: PlainError };

/** A StoreError on its way between threads. */
export interface PlainError {
  readonly code: StoreErrorCode;
  readonly message: string;
  readonly key?: string | undefined;
  readonly revision?: number | undefined;
  readonly owner?: number | undefined;
}

/** Kinds of a write in a batch. */
export const CREATE = 0;
export const UPDATE = 1;
export const DELETE = 2;
/** An update of what is on its way out. */
export const LEAVE = 3;

/** Kinds of a row in the log. */
export const PUT_ROW = 1;
export const DELETE_ROW = 2;

/** Outcomes of a write in a batch. */
export const WRITTEN = 0;
/** The condition did not hold; the other number is the revision that the key has, 0 when it is not there. */
export const REFUSED = 1;
/** There was no room. */
export const NO_ROOM = 2;
