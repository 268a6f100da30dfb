/**
 * Looks after room on the disk: moves the WAL into the database before it grows long, and sees to it that a full disk
 * has a way out.
 *
 * What is in the WAL needs room in the database file before the WAL can begin again at its start. So a write is committed
 * only while the reserve (reserve.ts) holds that room and some beyond it:
 *
 *     reserve ≥ what the WAL adds to the length of the database + floor
 *
 * When that cannot be kept, or a write fails for want of room, the WAL is moved, the history gives way from its oldest end,
 * and the write is tried again. When nothing is left to give up, the store is full: only writes that need no more room than
 * what they replace are done, out of the reserve if need be, the last half of which is for deletes. The WAL begins again
 * after each of these, and with no history they need no new pages, so the reserve lasts for as many as there are.
 *
 * @module
 */
import { statSync, statfsSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { StoreRoom } from "../contract.ts";
import { isFull } from "./errors.ts";
import { type History, STEP_ROWS } from "./history.ts";
import type { Ledger } from "./ledger.ts";
import type { HighWater } from "./mark.ts";
import { Reserve } from "./reserve.ts";
import { DATABASE_FILE, PAGE_BYTES } from "./schema.ts";

/** Pages in the WAL after which they are moved to the database: bounds the pause that this makes. */
const WAL_PAGES = 2000;
/** Pages that a write touches at most besides those that its bytes fill: live, log, and the log row that it pushes out. */
const PAGES_PER_WRITE = 3;
/** Pages beyond the limit of the file that are kept for deletes. */
const RESERVE_PAGES = 256;
/** What the reserve holds beyond what the WAL needs, and the most that this may be of a small file system. */
const FLOOR_BYTES = 4 << 20;
const FLOOR_SHARE = 1 / 8;

/** See the head of this file. */
export class Room {
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
  readonly #pages: StatementSync;
  readonly #unused: StatementSync;
  #walPages = 0;
  /** Length of the database file. */
  #fileBytes = 0;
  #full = false;
  #moves = 0;

  /** @param maxBytes largest size of the database file, Infinity for no limit */
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
    const number = (name: string): StatementSync => {
      const statement = db.prepare(`PRAGMA ${name}`);
      statement.setReturnArrays(true);
      return statement;
    };
    this.#pages = number("page_count");
    this.#unused = number("freelist_count");
    this.#measure();
    this.#limit(0);
  }

  /** Whether a write has found no room, and there is little still. */
  get full(): boolean {
    return this.#full;
  }

  /** How often the WAL has been moved. */
  get moves(): number {
    return this.#moves;
  }

  /** Inside a transaction: whether what it adds can be moved into the database, come what may. */
  covers(): boolean {
    return this.#reserve.cover(this.#growth() + this.#least());
  }

  /** Counts what a transaction has put into the WAL; called after its answer has gone. */
  used(writes: number, bytes: number): void {
    this.#walPages += writes * PAGES_PER_WRITE + bytes / PAGE_BYTES;
    if (this.#walPages >= (this.#full ? 1 : WAL_PAGES)) this.#moveWal(this.#checkpoint);
  }

  /** One step of compaction; see {@link History.step}. */
  compact(target: number, now: number, rows: number = STEP_ROWS): boolean {
    const more = this.withReserve("half", () => this.#history.step(target, now, rows));
    this.used(rows / 2, 0);
    return more;
  }

  /** Moves the WAL and gives back its room; of that the reserve gets what it lacks, and the rest is free. */
  tidy(): void {
    this.#moveWal(this.#truncate);
    const bytes = this.#growth() + this.#least();
    this.#reserve.cut(bytes);
    this.#reserve.refill(bytes);
  }

  /** Gives up history, its oldest end first, until `bytes` have room where it was; false when there was none. */
  giveUpHistory(now: number, bytes: number): boolean {
    const ledger = this.#ledger;
    const [enough, first] = [ledger.historyBytes - 2 * bytes, ledger.compacted];
    let rows = STEP_ROWS;
    for (let before = -1; ledger.compacted > before && ledger.historyBytes > enough;) {
      before = ledger.compacted;
      if (this.#giveUp(now, rows) || rows === 1) continue;
      // So many at once have no room in the WAL, which is empty now: fewer may.
      rows = Math.ceil(rows / 4);
      before = -1;
    }
    if (ledger.compacted === first) return false;
    this.tidy();
    return true;
  }

  /** One step of that; false when there was no room even for it. */
  #giveUp(now: number, rows: number): boolean {
    try {
      this.compact(this.#ledger.revision, now, rows);
      return true;
    } catch (error) {
      if (!isFull(error)) throw error;
      this.tidy();
      return false;
    }
  }

  /** Runs `work`, which fails where there is no room, with more and more of the reserve until `least` is left of it. */
  withReserve<T>(least: "half" | 0, work: () => T): T {
    this.#limit(RESERVE_PAGES);
    try {
      for (;;) {
        try {
          return work();
        } catch (error) {
          if (!isFull(error) || !this.#reserve.give(least === 0 ? 0 : this.#floor / 2)) throw error;
        }
      }
    } finally {
      this.#limit(0);
    }
  }

  /** A write has found no room, whatever was given up for it. */
  ranOut(): void {
    this.#full = true;
  }

  /** Looks how much room there is, and whether that is enough again; while it is not, history gives way. */
  look(now: number): StoreRoom {
    if (this.#full) {
      this.tidy();
      this.giveUpHistory(now, this.#floor);
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

  /** What the reserve must hold beyond that: less where pages of the database are free, because these are room as well. */
  #least(): number {
    return Math.max(this.#floor / 4, this.#floor - numberOf(this.#unused) * PAGE_BYTES);
  }

  /** By how much moving the WAL makes the database file longer. */
  #growth(): number {
    return Math.max(0, numberOf(this.#pages) * PAGE_BYTES - this.#fileBytes);
  }

  #moveWal(how: StatementSync): void {
    this.#walPages = 0;
    this.#moves++;
    this.#mark.moved();
    try {
      how.get();
    } catch (error) {
      if (!isFull(error)) throw error;
      this.#moveIntoReserve(how);
    } finally {
      this.#measure();
    }
  }

  #moveIntoReserve(how: StatementSync): void {
    this.#reserve.give(0, this.#growth());
    try {
      this.withReserve(0, () => how.get());
    } catch (error) {
      // Somebody else has taken the room: the WAL keeps what it has, and is tried again as it grows.
      if (!isFull(error)) throw error;
    }
  }

  #measure(): void {
    this.#fileBytes = statSync(join(this.#directory, DATABASE_FILE)).size;
  }
}

const numberOf = (statement: StatementSync): number => (statement.get() as unknown as readonly [number])[0];
