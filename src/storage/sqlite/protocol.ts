/**
 * The messages between the main thread and the writer thread: plain objects, and buffers that are transferred.
 *
 * One batch of writes is in flight at a time. The writer fills the outcomes into its buffer and sends it back, for the next batch.
 *
 * @module
 */
import type { StoredVersion, StoreErrorCode, StoreMoments, StoreSpace, StoreStats } from "../contract.ts";

/** Options of the open store; see `SqliteStoreOptions`. */
export interface OpenOptions {
  readonly directory: string;
  readonly historyMillis: number;
  readonly historyMaxShare: number;
  readonly historyMinBytes: number;
  readonly maxBytes: number;
}

/** Options of the writer thread. */
export interface ThreadOptions extends OpenOptions {
  /** See `SqliteStoreOptions`. */
  readonly givesMemoryBack: boolean;
}

/** Main thread to writer. `now` is the wall time in milliseconds; the reply has the same `id`. */
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
  /** Compacts one step, up to `revision` and to the bounds of the history. */
  | { readonly type: "compact"; readonly id: number; readonly now: number; readonly revision: number }
  /** Reads versions of a key, newest first: one step; the reply says where the next one begins. */
  | {
      readonly type: "history";
      readonly id: number;
      readonly key: string;
      readonly from: HistoryPosition | undefined;
      readonly limit: number;
    }
  | { readonly type: "moments"; readonly id: number; readonly times: readonly number[] }
  | { readonly type: "pin"; readonly id: number }
  | { readonly type: "release"; readonly id: number; readonly pin: number }
  | { readonly type: "stats"; readonly id: number }
  /** Checks files and disk space. */
  | { readonly type: "check"; readonly id: number; readonly now: number }
  | { readonly type: "close"; readonly id: number };

/** A position in the history of a key: at a version of it, or below a revision where it has to be searched. */
export type HistoryPosition = { readonly at: number } | { readonly below: number };

/** The statistics of the writer thread. */
export type WorkerStats = Pick<StoreStats, "revision" | "compactedRevision" | "records" | "bytes">;

/** Writer to main thread. */
export type Reply =
  | { readonly type: "opened"; readonly revision: number; readonly compacted: number; readonly space: StoreSpace }
  /** The batch was committed, or refused for lack of space; outcomes are in the buffer. */
  | {
      readonly type: "written";
      readonly buffer: ArrayBuffer;
      readonly revision: number;
      readonly compacted: number;
      readonly millis: number;
      /** Whether the store is full; see `Store.space`. */
      readonly full: boolean;
    }
  /** Records of a get, range or log; `done` marks the last message of the id. */
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
      readonly next: HistoryPosition | undefined;
      readonly compacted: number;
    }
  | { readonly type: "moments"; readonly id: number; readonly moments: StoreMoments }
  | { readonly type: "pinned"; readonly id: number; readonly revision: number }
  | { readonly type: "stats"; readonly id: number; readonly stats: WorkerStats }
  | { readonly type: "checked"; readonly id: number; readonly space: StoreSpace }
  | { readonly type: "closed"; readonly id: number }
  | { readonly type: "refused"; readonly id: number; readonly error: PlainError }
  /** The store has failed for good (or could not be opened); no message follows. */
  | { readonly type: "failed"; readonly error: PlainError };

/** A StoreError in a message. */
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
/** An update of an object that is being deleted. */
export const LEAVE = 3;

/** Kinds of a row in the log. */
export const PUT_ROW = 1;
export const DELETE_ROW = 2;

/** Outcomes of a write in a batch. */
export const WRITTEN = 0;
/** The condition did not hold; the other number is the revision of the key, 0 when it does not exist. */
export const REFUSED = 1;
/** There was no disk space. */
export const NO_SPACE = 2;
