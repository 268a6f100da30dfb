/**
 * Applies batches of writes: conditions are checked and changes made inside one transaction of SQLite, each write or
 * transaction of the store for itself, and one flush makes them all durable. A transaction of the store is a group of
 * writes that is never cut: what follows calls it a group.
 *
 * @module
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { BatchCursor, fillOutcomes } from "./batch.ts";
import { crc32c, rowChecksum } from "./crc32c.ts";
import { isFull } from "./errors.ts";
import type { History } from "./history.ts";
import type { Ledger } from "./ledger.ts";
import type { HighWater } from "./mark.ts";
import { CREATE, DELETE, DELETE_ROW, LEAVE, NO_ROOM, PUT_ROW, REFUSED, WRITTEN } from "./protocol.ts";
import type { Room } from "./room.ts";

/**
 * Which writes of a batch are done: all, those that need hardly more room than what they replace, or the deletes.
 */
type Which = "all" | "modest" | "deletes";

/** The transaction fits on the disk, but would leave no way out of a full one. */
class NoRoom extends Error {}

/** Most writes, and most bytes of them unless it is one group, in a transaction that may have to do with the reserve. */
const PIECE_WRITES = 32;
const PIECE_BYTES = 512 * 1024;
/** How many bytes what is on its way out may grow by: the time of its deletion and what is said about it. */
const LEAVING_BYTES = 16 * 1024;

/** Revision and size of a key. */
type LiveRow = readonly [revision: number, size: number];
const ABSENT: LiveRow = [0, 0];

/** See the head of this file. */
export class Writer {
  readonly #ledger: Ledger;
  readonly #history: History;
  readonly #room: Room;
  readonly #mark: HighWater;
  readonly #find: StatementSync;
  readonly #insert: StatementSync;
  readonly #update: StatementSync;
  readonly #remove: StatementSync;
  readonly #append: StatementSync;
  #outcomes: Float64Array = new Float64Array(512);
  /** What the batch has put into the log so far: writes, and bytes of their keys and values. */
  #written = 0;
  #bytes = 0;

  constructor(db: DatabaseSync, ledger: Ledger, history: History, room: Room, mark: HighWater) {
    this.#ledger = ledger;
    this.#history = history;
    this.#room = room;
    this.#mark = mark;
    // Keys travel as bytes and are stored as text, so that people can read them; the casts cost nothing.
    this.#find = db.prepare("SELECT revision, size FROM live WHERE key = CAST(?1 AS TEXT)");
    this.#find.setReturnArrays(true);
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
   * Where there is no room, history gives way. When that is not enough, what still fits is done, and of the rest what
   * needs no more room than what it replaces (see room.ts); everything else gets the outcome `NO_ROOM`.
   *
   * @param now wall time in milliseconds
   * @returns how many writes were committed, and the bytes of their keys and values
   * @throws anything but a full disk: then it is unknown what the disk holds
   */
  apply(buffer: ArrayBuffer, count: number, now: number): { written: number; bytes: number } {
    if (this.#outcomes.length < count * 2) this.#outcomes = new Float64Array(count * 4);
    this.#written = 0;
    this.#bytes = 0;
    const all = new BatchCursor(buffer, count);
    if (!this.#transact(all, count, now, "all") && !this.#transactLater(all, count, now, buffer.byteLength)) {
      this.#applyInNeed(all, now);
    }
    fillOutcomes(buffer, count, this.#outcomes);
    return { written: this.#written, bytes: this.#bytes };
  }

  /** Tries it again with what room can be had, and with ever less history. */
  #transactLater(all: BatchCursor, count: number, now: number, bytes: number): boolean {
    const again = (): boolean => this.#transact(all, count, now, "all");
    if (!this.#room.full) {
      this.#room.tidy();
      if (again()) return true;
    }
    while (this.#room.giveUpHistory(now, bytes)) if (again()) return true;
    return false;
  }

  /** One group after the other while they fit, then those that make room, a few at a time. */
  #applyInNeed(all: BatchCursor, now: number): void {
    const rest = all.copy();
    while (all.left > all.group && rest.left > 0 && this.#transactAlone(rest, now)) rest.skip(rest.group);
    if (rest.left > 0) this.#room.ranOut();
    while (rest.left > 0) {
      const before = this.#bytes;
      const count = rest.ahead(PIECE_WRITES, PIECE_BYTES);
      const made =
        this.#transactInNeed(rest, count, now, "modest") || this.#transactInNeed(rest, count, now, "deletes");
      for (let i = 0; i < count; i++) {
        rest.next();
        // Also those that were refused: they may have been judged by a change that is undone now.
        if (!made) this.#outcomes[rest.index * 2] = NO_ROOM;
      }
      this.#room.used(count, this.#bytes - before);
    }
  }

  /** One group; where the store is not known to be full, with what the ones before it have left. */
  #transactAlone(from: BatchCursor, now: number): boolean {
    if (this.#transact(from, from.group, now, "all")) return true;
    if (this.#room.full) return false;
    this.#room.tidy();
    return this.#transact(from, from.group, now, "all");
  }

  #transactInNeed(from: BatchCursor, count: number, now: number, which: "modest" | "deletes"): boolean {
    const transact = (): boolean => this.#transact(from, count, now, which, true);
    try {
      return this.#room.withReserve(which === "modest" ? "half" : 0, transact);
    } catch (error) {
      if (!isFull(error)) throw error;
      return false;
    }
  }

  /** One transaction of `count` writes; false when there was no room for it, or with `insist` the error that says so. */
  #transact(from: BatchCursor, count: number, now: number, which: Which, insist = false): boolean {
    let written = 0;
    let bytes = 0;
    try {
      this.#mark.reserve(this.#ledger.revision, count);
      this.#ledger.transaction(() => {
        ({ written, bytes } = this.#applyAll(from.copy(), count, now, which));
        if (written === 0) return false;
        if (which === "all") this.#history.trimBehind(written, now);
        if (which === "all" && !this.#room.covers()) throw new NoRoom();
        return true;
      });
    } catch (error) {
      if (insist || !(isFull(error) || error instanceof NoRoom)) throw error;
      return false;
    }
    // It is done, whatever becomes of the mark.
    if (written > 0) this.#mark.committed(this.#ledger.revision);
    this.#written += written;
    this.#bytes += bytes;
    return true;
  }

  #applyAll(cursor: BatchCursor, count: number, now: number, which: Which): { written: number; bytes: number } {
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
   * Whether a group of several writes is not done. Then the outcome of the first write whose condition does not hold says so,
   * and that of every other one, or of all, is `NO_ROOM`.
   */
  #isRefused(cursor: BatchCursor, count: number, which: Which): boolean {
    const first = cursor.index + 1;
    this.#outcomes.fill(NO_ROOM, first * 2, (first + count) * 2);
    let isAllAmong = true;
    for (let i = 0; i < count && cursor.next(); i++) {
      const [current, size] = this.#look(cursor);
      if (!holds(cursor, current)) {
        this.#setOutcome(cursor, REFUSED, current);
        return true;
      }
      isAllAmong &&= isAmong(cursor, size, which);
    }
    return !isAllAmong;
  }

  /** Applies the write that the cursor stands on, if its condition holds and it is one of those that are to be done. */
  #applyNext(write: BatchCursor, now: number, which: Which): boolean {
    const [current, size] = this.#look(write);
    const outcome = !holds(write, current) ? REFUSED : isAmong(write, size, which) ? WRITTEN : NO_ROOM;
    const isDone = outcome === WRITTEN;
    if (isDone) this.#applyOne(write, current, size, now, which);
    this.#setOutcome(write, outcome, isDone ? this.#ledger.revision : current);
    return isDone;
  }

  #look({ key }: BatchCursor): LiveRow {
    return (this.#find.get(key) as unknown as LiveRow | undefined) ?? ABSENT;
  }

  #setOutcome({ index }: BatchCursor, outcome: number, revision: number): void {
    this.#outcomes[index * 2] = outcome;
    this.#outcomes[index * 2 + 1] = revision;
  }

  #applyOne(write: BatchCursor, previous: number, previousSize: number, now: number, which: Which): void {
    const ledger = this.#ledger;
    const isDelete = write.kind === DELETE;
    // Before the revision moves on.
    const leaveNoTrace = which !== "all" && this.#history.isGone;
    ledger.revision += 1;
    ledger.liveBytes += (isDelete ? 0 : write.row.length) - previousSize;
    ledger.sumChange += (isDelete ? 0 : ledger.revision) - previous;
    this.#index(write);
    if (leaveNoTrace) this.#history.skip(previous, Buffer.from(write.key).toString());
    if (leaveNoTrace && isDelete) return;
    const kind = isDelete ? DELETE_ROW : PUT_ROW;
    const checksum = rowChecksum(crc32c(write.row), ledger.revision, previous, kind, now);
    this.#append.run(ledger.revision, write.key, previous, kind, now, checksum, write.value);
    ledger.logBytes += write.row.length;
  }

  /** Writes which revision the key has now. */
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

/** Whether the condition of a write holds where its key has the revision `current`. */
const holds = ({ kind, expected }: BatchCursor, current: number): boolean =>
  kind === CREATE ? current === 0 : current !== 0 && current === expected;

/** Whether a write is one of those that are to be done. */
function isAmong({ kind, row }: BatchCursor, previousSize: number, which: Which): boolean {
  if (which === "all" || kind === DELETE) return true;
  if (which === "deletes" || kind === CREATE) return false;
  return row.length <= previousSize + (kind === LEAVE ? LEAVING_BYTES : 0);
}
