/**
 * Looks after room on the disk: moves the WAL into the database before it grows long, and finds some when there is none.
 *
 * @module
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { isFull } from "./errors.ts";
import type { History } from "./history.ts";
import type { HighWater } from "./mark.ts";

const PAGE_BYTES = 4096;
/** Pages in the WAL after which they are moved to the database: bounds the pause that this makes. */
const WAL_PAGES = 2000;
/** Pages that a write touches at most besides those that its bytes fill: live, log, and the log row that it pushes out. */
const PAGES_PER_WRITE = 3;
/** Pages beyond the limit of the file that are kept for deletes. */
const RESERVE_PAGES = 256;

/** See the head of this file. */
export class Room {
  readonly #db: DatabaseSync;
  readonly #history: History;
  readonly #mark: HighWater;
  readonly #maxPages: number;
  readonly #checkpoint: StatementSync;
  #walPages = 0;

  /** @param maxBytes largest size of the database file, Infinity for no limit */
  constructor(db: DatabaseSync, history: History, mark: HighWater, maxBytes: number) {
    this.#db = db;
    this.#mark = mark;
    this.#history = history;
    this.#maxPages = Math.ceil(maxBytes / PAGE_BYTES);
    this.#checkpoint = db.prepare("PRAGMA wal_checkpoint(PASSIVE)");
    this.#limit(0);
  }

  /** Counts what a transaction has put into the WAL; called after its answer has gone. */
  used(writes: number, bytes: number): void {
    this.#walPages += writes * PAGES_PER_WRITE + bytes / PAGE_BYTES;
    if (this.#walPages >= WAL_PAGES) this.#moveWal();
  }

  /** The disk is full: has the WAL begin again at its start, and gives up some history for the writes to come. */
  make(now: number): void {
    this.#moveWal();
    try {
      this.#history.giveUp(now);
    } catch (error) {
      if (!isFull(error)) throw error;
    }
  }

  /** Runs `work` with the reserve of the file's limit, if it has one. */
  withReserve<T>(work: () => T): T {
    this.#limit(RESERVE_PAGES);
    try {
      return work();
    } finally {
      this.#limit(0);
    }
  }

  #limit(reserve: number): void {
    if (this.#maxPages !== Infinity) this.#db.exec(`PRAGMA max_page_count = ${this.#maxPages + reserve}`);
  }

  #moveWal(): void {
    this.#walPages = 0;
    this.#mark.moved();
    try {
      this.#checkpoint.get();
    } catch (error) {
      // Without room for that the WAL keeps what it has, and is tried again as it grows.
      if (!isFull(error)) throw error;
    }
  }
}
