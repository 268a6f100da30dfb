/**
 * Where the rows of a list come from: the order of the cache itself (`plain-source.ts`), or an index of a list that is sorted or
 * filtered (`index-source.ts`).
 *
 * @module
 */
import type { Entry } from "../../registry/index.ts";
import type { WindowTable } from "./table.ts";

/** The rows of a list at one revision. */
export interface ListState {
  readonly revision: number;
  /** Objects that the filters let through. */
  readonly matching: number;
  /** Objects of the namespace. */
  readonly total: number;
  /** At most `count` entries after the first `offset`, in the order of the list. */
  entries(offset: number, count: number): readonly Entry[];
}

/** How far a list is built: objects that were read, of how many. */
export interface ListProgress {
  readonly done: number;
  readonly of: number;
}

/** See the head of this file. */
export interface ListSource {
  readonly table: WindowTable;
  /** Bytes that it keeps in memory, about. */
  readonly bytes: number;
  readonly progress: ListProgress;
  /** Whether all objects have been read once. */
  readonly isBuilt: boolean;
  /** The rows now; undefined while they are built, or are behind the changes. */
  state(): ListState | undefined;
  close(): void;
}

/** What a source tells, never before its constructor has returned. */
export interface SourceEvents {
  /** {@link ListSource.state} or {@link ListSource.progress} has changed. */
  changed(): void;
  /** It has ended by itself, with an `ApiError`; or without an error, and may be begun again. */
  ended(error: unknown): void;
  /** It takes more memory than before. Throws where that is too much. */
  grown(): void;
}
