/**
 * Manages disk space: checkpoints the WAL before it grows long, and keeps a full disk usable.
 *
 * The content of the WAL needs space in the database file before the WAL can start again. So a write is committed only while the
 * reserve (reserve.ts) covers that space and some more:
 *
 *     reserve ≥ growth of the database at a checkpoint + floor
 *
 * When that fails, or a write finds no space, the WAL is checkpointed, the oldest history is removed, and the write is tried
 * again. When there is no history left, the store is full: only writes that need no more space than what they replace succeed,
 * with the reserve if necessary, whose last half is for deletes. The WAL is checkpointed after each of these, and without history
 * they need no new pages, so the reserve is never used up.
 *
 * @module
 */
import { statSync, statfsSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { StoreSpace } from "../contract.ts";
import { isFull } from "./errors.ts";
import { type History, STEP_ROWS } from "./history.ts";
import type { Ledger } from "./ledger.ts";
import type { HighWater } from "./mark.ts";
import { Reserve } from "./reserve.ts";
import { DATABASE_FILE, PAGE_BYTES } from "./schema.ts";
import { type ArrayStatement, arrayStatement } from "./statements.ts";

/** Pages in the WAL after which it is checkpointed; bounds the duration of the checkpoint. */
const WAL_PAGES = 2000;
/** Pages that a write changes at most besides those that its bytes fill: live, log, and a compacted log row. */
const PAGES_PER_WRITE = 3;
/** Pages beyond the limit of the file that are reserved for deletes. */
const RESERVE_PAGES = 256;
/** The reserve beyond the growth of the database, and its maximum as a share of a small file system. */
const FLOOR_BYTES = 4 << 20;
const FLOOR_SHARE = 1 / 8;

/** See the head of this file. */
export class DiskSpace {
  readonly #directory: string;
  readonly #ledger: Ledger;
  readonly #history: History;
  readonly #mark: HighWater;
  readonly #reserve: Reserve;
  readonly #floor: number;
  readonly #maxPages: number;
  readonly #db: DatabaseSync;
  readonly #checkpoint: StatementSync;
  readonly #truncate: StatementSync;
  readonly #pages: ArrayStatement<readonly [number]>;
  readonly #unused: ArrayStatement<readonly [number]>;
  #walPages = 0;
  /** The length of the database file. */
  #fileBytes = 0;
  #full = false;
  #checkpoints = 0;

  /** @param maxBytes the maximum of the database file, Infinity for no limit */
  constructor(
    db: DatabaseSync,
    directory: string,
    { ledger, history, mark }: { readonly ledger: Ledger; readonly history: History; readonly mark: HighWater },
    maxBytes: number,
  ) {
    this.#db = db;
    this.#directory = directory;
    this.#ledger = ledger;
    this.#history = history;
    this.#mark = mark;
    this.#reserve = new Reserve(directory);
    const { blocks, bsize } = statfsSync(directory);
    this.#floor = Math.min(FLOOR_BYTES, Math.floor(Math.min(blocks * bsize, maxBytes) * FLOOR_SHARE));
    this.#maxPages = Math.ceil(maxBytes / PAGE_BYTES);
    this.#checkpoint = db.prepare("PRAGMA wal_checkpoint(PASSIVE)");
    this.#truncate = db.prepare("PRAGMA wal_checkpoint(TRUNCATE)");
    this.#pages = arrayStatement(db, "PRAGMA page_count");
    this.#unused = arrayStatement(db, "PRAGMA freelist_count");
    this.#readFileSize();
    this.#limit(0);
  }

  /** Whether a write found no space, and space is still short. */
  get full(): boolean {
    return this.#full;
  }

  /** The number of checkpoints. */
  get checkpoints(): number {
    return this.#checkpoints;
  }

  /** In a transaction: whether the reserve covers the checkpoint of what it adds. */
  covers(): boolean {
    return this.#reserve.cover(this.#growth() + this.#minReserve());
  }

  /** Counts what a transaction has added to the WAL; called after its reply was sent. */
  used(writes: number, bytes: number): void {
    this.#walPages += writes * PAGES_PER_WRITE + bytes / PAGE_BYTES;
    if (this.#walPages >= (this.#full ? 1 : WAL_PAGES)) this.#checkpointWal(this.#checkpoint);
  }

  /** One step of compaction; see {@link History.step}. */
  compact(target: number, now: number, rows: number = STEP_ROWS): boolean {
    const more = this.withReserve("half", () => this.#history.step(target, now, rows));
    this.used(rows / 2, 0);
    return more;
  }

  /** Checkpoints and truncates the WAL; fills the reserve and releases the rest of the space. */
  reclaim(): void {
    this.#checkpointWal(this.#truncate);
    const bytes = this.#growth() + this.#minReserve();
    this.#reserve.cut(bytes);
    this.#reserve.refill(bytes);
  }

  /** Removes the oldest history until there is space for `bytes`; returns false when there was none. */
  removeHistory(now: number, bytes: number): boolean {
    const ledger = this.#ledger;
    const [enough, first] = [ledger.historyBytes - 2 * bytes, ledger.compacted];
    let rows = STEP_ROWS;
    for (let before = -1; ledger.compacted > before && ledger.historyBytes > enough;) {
      before = ledger.compacted;
      if (this.#tryCompact(now, rows) || rows === 1) continue;
      // So many rows have no space in the WAL, which is empty now: fewer may.
      rows = Math.ceil(rows / 4);
      before = -1;
    }
    if (ledger.compacted === first) return false;
    this.reclaim();
    return true;
  }

  /** Compacts one step; returns false when there was no space for it. */
  #tryCompact(now: number, rows: number): boolean {
    try {
      this.compact(this.#ledger.revision, now, rows);
      return true;
    } catch (error) {
      if (!isFull(error)) throw error;
      this.reclaim();
      return false;
    }
  }

  /** Runs `work` again and again, each time with more of the reserve, until it has enough or `min` of the reserve is left. */
  withReserve<T>(min: "half" | 0, work: () => T): T {
    this.#limit(RESERVE_PAGES);
    try {
      for (;;) {
        try {
          return work();
        } catch (error) {
          if (!isFull(error) || !this.#reserve.release(min === 0 ? 0 : this.#floor / 2)) throw error;
        }
      }
    } finally {
      this.#limit(0);
    }
  }

  /** Marks the store as full. */
  setFull(): void {
    this.#full = true;
  }

  /** Measures the space and decides whether the store is still full; removes history while it is. */
  check(now: number): StoreSpace {
    if (this.#full) {
      this.reclaim();
      this.removeHistory(now, this.#floor);
    }
    const { bavail, bsize } = statfsSync(this.#directory);
    const unused = numberOf(this.#unused) * PAGE_BYTES;
    const left = (this.#maxPages - numberOf(this.#pages)) * PAGE_BYTES;
    const freeBytes = Math.min(bavail * bsize, left) + unused;
    this.#full &&= freeBytes < this.#floor || !this.covers();
    return { full: this.#full, freeBytes, reserveBytes: this.#reserve.bytes };
  }

  close(): void {
    this.#reserve.close();
  }

  #limit(reserve: number): void {
    if (this.#maxPages !== Infinity) this.#db.exec(`PRAGMA max_page_count = ${this.#maxPages + reserve}`);
  }

  /** The minimum of the reserve besides the growth; free pages of the database lower it, since they are space as well. */
  #minReserve(): number {
    return Math.max(this.#floor / 4, this.#floor - numberOf(this.#unused) * PAGE_BYTES);
  }

  /** The growth of the database file at a checkpoint. */
  #growth(): number {
    return Math.max(0, numberOf(this.#pages) * PAGE_BYTES - this.#fileBytes);
  }

  #checkpointWal(statement: StatementSync): void {
    this.#walPages = 0;
    this.#checkpoints++;
    this.#mark.checkpointed();
    try {
      statement.get();
    } catch (error) {
      if (!isFull(error)) throw error;
      this.#checkpointWithReserve(statement);
    } finally {
      this.#readFileSize();
    }
  }

  #checkpointWithReserve(statement: StatementSync): void {
    this.#reserve.release(0, this.#growth());
    try {
      this.withReserve(0, () => statement.get());
    } catch (error) {
      // Another program has used the space: the WAL stays, and is checkpointed again when it grows.
      if (!isFull(error)) throw error;
    }
  }

  #readFileSize(): void {
    this.#fileBytes = statSync(join(this.#directory, DATABASE_FILE)).size;
  }
}

const numberOf = (statement: ArrayStatement<readonly [number]>): number => statement.get()![0];
