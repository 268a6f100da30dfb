/**
 * Applies batches of writes in one transaction of SQLite, which one flush makes durable. Conditions are checked for each write or
 * transaction of the store. Such a transaction is called a group here; it is never split.
 *
 * @module
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { BatchCursor, fillOutcomes } from "./batch.ts";
import { crc32c, rowChecksum } from "./crc32c.ts";
import { type ArrayStatement, arrayStatement } from "./statements.ts";
import { isFull } from "./errors.ts";
import type { History } from "./history.ts";
import type { Ledger } from "./ledger.ts";
import type { HighWater } from "./mark.ts";
import { CREATE, DELETE, DELETE_ROW, LEAVE, NO_SPACE, PUT_ROW, REFUSED, WRITTEN } from "./protocol.ts";
import type { DiskSpace } from "./disk-space.ts";

/** The writes of a batch that are applied: all, those that need hardly more space than what they replace, or deletes. */
type Selection = "all" | "modest" | "deletes";

/** The transaction fits on the disk, but the reserve would not cover its checkpoint. */
class NotCovered extends Error {}

/** The maximum of writes, and of bytes unless it is one group, in a transaction that may use the reserve. */
const RESERVE_WRITES = 32;
const RESERVE_BYTES = 512 * 1024;
/** The bytes by which an object that is being deleted may grow: for its deletionTimestamp and status. */
const MAX_LEAVING_GROWTH = 16 * 1024;

/** Revision and size of a key. */
type LiveRow = readonly [revision: number, size: number];
const ABSENT: LiveRow = [0, 0];

/** See the head of this file. */
export class Writer {
  readonly #ledger: Ledger;
  readonly #history: History;
  readonly #space: DiskSpace;
  readonly #mark: HighWater;
  readonly #find: ArrayStatement<LiveRow>;
  readonly #insert: StatementSync;
  readonly #update: StatementSync;
  readonly #remove: StatementSync;
  readonly #append: StatementSync;
  #outcomes: Float64Array = new Float64Array(512);
  /** The applied writes of the batch, and the bytes of their keys and values. */
  #written = 0;
  #bytes = 0;

  constructor(db: DatabaseSync, ledger: Ledger, history: History, space: DiskSpace, mark: HighWater) {
    this.#ledger = ledger;
    this.#history = history;
    this.#space = space;
    this.#mark = mark;
    // Keys are bound as bytes and stored as text, so that people can read them; the casts cost nothing.
    this.#find = arrayStatement(db, "SELECT revision, size FROM live WHERE key = CAST(?1 AS TEXT)");
    this.#insert = db.prepare("INSERT INTO live (key, revision, size) VALUES (CAST(?1 AS TEXT), ?2, ?3)");
    this.#update = db.prepare("UPDATE live SET revision = ?2, size = ?3 WHERE key = CAST(?1 AS TEXT)");
    this.#remove = db.prepare("DELETE FROM live WHERE key = CAST(?1 AS TEXT)");
    this.#append = db.prepare(
      "INSERT INTO log (revision, key, previous, kind, time, checksum, value) VALUES (?1, CAST(?2 AS TEXT), ?3, ?4, ?5, ?6, ?7)",
    );
  }

  /**
   * Applies a batch and writes the outcomes into its buffer.
   *
   * When there is no space, history is removed. When that is not enough, the writes that fit are applied, and of the rest those
   * that need no more space than what they replace (see disk-space.ts); all others get the outcome `NO_SPACE`.
   *
   * @param now wall time in milliseconds
   * @returns the number of committed writes, and the bytes of their keys and values
   * @throws any error but a full disk: the state of the disk is then unknown
   */
  apply(buffer: ArrayBuffer, count: number, now: number): { written: number; bytes: number } {
    if (this.#outcomes.length < count * 2) this.#outcomes = new Float64Array(count * 4);
    this.#written = 0;
    this.#bytes = 0;
    const all = new BatchCursor(buffer, count);
    if (!this.#transact(all, count, now, "all") && !this.#retry(all, count, now, buffer.byteLength)) {
      this.#applySome(all, now);
    }
    fillOutcomes(buffer, count, this.#outcomes);
    return { written: this.#written, bytes: this.#bytes };
  }

  /** Applies the batch again after a checkpoint, and with ever less history. */
  #retry(all: BatchCursor, count: number, now: number, bytes: number): boolean {
    const retry = (): boolean => this.#transact(all, count, now, "all");
    if (!this.#space.full) {
      this.#space.reclaim();
      if (retry()) return true;
    }
    while (this.#space.removeHistory(now, bytes)) if (retry()) return true;
    return false;
  }

  /** Applies one group after the other while they fit, then those that free space, a few at a time. */
  #applySome(all: BatchCursor, now: number): void {
    const rest = all.copy();
    while (all.left > all.group && rest.left > 0 && this.#transactGroup(rest, now)) rest.skip(rest.group);
    if (rest.left > 0) this.#space.setFull();
    while (rest.left > 0) {
      const before = this.#bytes;
      const count = rest.ahead(RESERVE_WRITES, RESERVE_BYTES);
      const isDone =
        this.#transactWithReserve(rest, count, now, "modest") || this.#transactWithReserve(rest, count, now, "deletes");
      for (let i = 0; i < count; i++) {
        rest.next();
        // Also refused writes: their conditions may have been checked against a change that is undone now.
        if (!isDone) this.#outcomes[rest.index * 2] = NO_SPACE;
      }
      this.#space.used(count, this.#bytes - before);
    }
  }

  /** Applies one group; unless the store is full, again after a checkpoint. */
  #transactGroup(from: BatchCursor, now: number): boolean {
    if (this.#transact(from, from.group, now, "all")) return true;
    if (this.#space.full) return false;
    this.#space.reclaim();
    return this.#transact(from, from.group, now, "all");
  }

  #transactWithReserve(from: BatchCursor, count: number, now: number, which: "modest" | "deletes"): boolean {
    const transact = (): boolean => this.#transact(from, count, now, which, true);
    try {
      return this.#space.withReserve(which === "modest" ? "half" : 0, transact);
    } catch (error) {
      if (!isFull(error)) throw error;
      return false;
    }
  }

  /** Applies `count` writes in one transaction; without space it returns false, or throws with `insist`. */
  #transact(from: BatchCursor, count: number, now: number, which: Selection, insist = false): boolean {
    let written = 0;
    let bytes = 0;
    try {
      this.#mark.reserve(this.#ledger.revision, count);
      this.#ledger.transaction(() => {
        ({ written, bytes } = this.#applyAll(from.copy(), count, now, which));
        if (written === 0) return false;
        if (which === "all") this.#history.trimBehind(written, now);
        if (which === "all" && !this.#space.covers()) throw new NotCovered();
        return true;
      });
    } catch (error) {
      if (insist || !(isFull(error) || error instanceof NotCovered)) throw error;
      return false;
    }
    // The writes are committed, also when the mark cannot be written.
    if (written > 0) this.#mark.committed(this.#ledger.revision);
    this.#written += written;
    this.#bytes += bytes;
    return true;
  }

  #applyAll(cursor: BatchCursor, count: number, now: number, which: Selection): { written: number; bytes: number } {
    let written = 0;
    let bytes = 0;
    for (let left = count; left > 0;) {
      const { group } = cursor;
      left -= group;
      if (group > 1 && this.#isRefused(cursor.copy(), group, which)) {
        cursor.skip(group);
        continue;
      }
      for (let i = 0; i < group && cursor.next(); i++) {
        if (!this.#applyNext(cursor, now, which)) continue;
        written += 1;
        bytes += cursor.row.length;
      }
    }
    return { written, bytes };
  }

  /**
   * Whether a group of several writes is refused. Its outcomes are then those of the first write whose condition does not hold,
   * and `NO_SPACE` for all others.
   */
  #isRefused(cursor: BatchCursor, count: number, which: Selection): boolean {
    const first = cursor.index + 1;
    this.#outcomes.fill(NO_SPACE, first * 2, (first + count) * 2);
    let areAllSelected = true;
    for (let i = 0; i < count && cursor.next(); i++) {
      const [current, size] = this.#look(cursor);
      if (!holds(cursor, current)) {
        this.#setOutcome(cursor, REFUSED, current);
        return true;
      }
      areAllSelected &&= isSelected(cursor, size, which);
    }
    return !areAllSelected;
  }

  /** Applies the current write of the cursor, if its condition holds and it is selected. */
  #applyNext(write: BatchCursor, now: number, which: Selection): boolean {
    const [current, size] = this.#look(write);
    const outcome = !holds(write, current) ? REFUSED : isSelected(write, size, which) ? WRITTEN : NO_SPACE;
    const isDone = outcome === WRITTEN;
    if (isDone) this.#applyOne(write, current, size, now, which);
    this.#setOutcome(write, outcome, isDone ? this.#ledger.revision : current);
    return isDone;
  }

  #look({ key }: BatchCursor): LiveRow {
    return this.#find.get(key) ?? ABSENT;
  }

  #setOutcome({ index }: BatchCursor, outcome: number, revision: number): void {
    this.#outcomes[index * 2] = outcome;
    this.#outcomes[index * 2 + 1] = revision;
  }

  #applyOne(write: BatchCursor, previous: number, previousSize: number, now: number, which: Selection): void {
    const ledger = this.#ledger;
    const isDelete = write.kind === DELETE;
    // Read before the revision changes.
    const withoutHistory = which !== "all" && this.#history.isGone;
    ledger.revision += 1;
    ledger.liveBytes += (isDelete ? 0 : write.row.length) - previousSize;
    ledger.sumChange += (isDelete ? 0 : ledger.revision) - previous;
    this.#index(write);
    if (withoutHistory) this.#history.skip(previous, Buffer.from(write.key).toString());
    if (withoutHistory && isDelete) return;
    const kind = isDelete ? DELETE_ROW : PUT_ROW;
    const checksum = rowChecksum(crc32c(write.row), ledger.revision, previous, kind, now);
    this.#append.run(ledger.revision, write.key, previous, kind, now, checksum, write.value);
    ledger.logBytes += write.row.length;
  }

  /** Updates the revision of the key. */
  #index(write: BatchCursor): void {
    const { revision } = this.#ledger;
    if (write.kind === CREATE) {
      this.#insert.run(write.key, revision, write.row.length);
      this.#ledger.records += 1;
    } else if (write.kind === DELETE) {
      this.#remove.run(write.key);
      this.#ledger.records -= 1;
    } else {
      this.#update.run(write.key, revision, write.row.length);
    }
  }
}

/** Whether the condition of a write holds for a key at the revision `current`. */
const holds = ({ kind, expected }: BatchCursor, current: number): boolean =>
  kind === CREATE ? current === 0 : current !== 0 && current === expected;

/** Whether a write is selected. */
function isSelected({ kind, row }: BatchCursor, previousSize: number, which: Selection): boolean {
  if (which === "all" || kind === DELETE) return true;
  if (which === "deletes" || kind === CREATE) return false;
  return row.length <= previousSize + (kind === LEAVE ? MAX_LEAVING_GROWTH : 0);
}
