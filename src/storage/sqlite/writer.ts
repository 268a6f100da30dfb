/**
 * Applies batches of writes: conditions are checked and changes made inside one transaction, each write for itself, and
 * one flush makes them all durable.
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
import { CREATE, DELETE, DELETE_ROW, NO_ROOM, PUT_ROW, REFUSED, WRITTEN } from "./protocol.ts";
import type { Room } from "./room.ts";

/** Revision and size of a key that is there. */
type LiveRow = readonly [revision: number, size: number];

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
  /** Bytes of keys and values that the transaction has put into the log so far. */
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
   * When the disk is full, room is made (see room.ts) and the deletes of the batch are tried once more; everything else
   * of it gets the outcome `NO_ROOM`.
   *
   * @param now wall time in milliseconds
   * @returns how many writes were committed, and the bytes of their keys and values
   * @throws anything but a full disk: then it is unknown what the disk holds
   */
  apply(buffer: ArrayBuffer, count: number, now: number): { written: number; bytes: number } {
    if (this.#outcomes.length < count * 2) this.#outcomes = new Float64Array(count * 4);
    let written = this.#transact(buffer, count, now, false);
    if (written === undefined) {
      this.#room.make(now);
      written = this.#room.withReserve(() => this.#transact(buffer, count, now, true));
    }
    // Also those that were refused: they may have been judged by a change of this batch that is undone now.
    if (written === undefined) for (let i = 0; i < count; i++) this.#outcomes[i * 2] = NO_ROOM;
    fillOutcomes(buffer, count, this.#outcomes);
    return { written: written ?? 0, bytes: written === undefined ? 0 : this.#bytes };
  }

  /** One transaction; undefined when there was no room for it. */
  #transact(buffer: ArrayBuffer, count: number, now: number, onlyDeletes: boolean): number | undefined {
    let written = 0;
    try {
      this.#mark.reserve(this.#ledger.revision, count);
      this.#ledger.transaction(() => {
        written = this.#applyAll(buffer, count, now, onlyDeletes);
        if (written > 0 && !onlyDeletes) this.#history.trimBehind(written, now);
        return written > 0;
      });
    } catch (error) {
      if (!isFull(error)) throw error;
      return undefined;
    }
    // It is done, whatever becomes of the mark.
    if (written > 0) this.#mark.committed(this.#ledger.revision);
    return written;
  }

  #applyAll(buffer: ArrayBuffer, count: number, now: number, onlyDeletes: boolean): number {
    const cursor = new BatchCursor(buffer, count);
    let written = 0;
    this.#bytes = 0;
    for (let i = 0; cursor.next(); i++) {
      if (onlyDeletes && cursor.kind !== DELETE) {
        this.#outcomes[i * 2] = NO_ROOM;
        continue;
      }
      const row = this.#find.get(cursor.key) as unknown as LiveRow | undefined;
      const current = row === undefined ? 0 : row[0];
      const holds = cursor.kind === CREATE ? current === 0 : current !== 0 && current === cursor.expected;
      if (holds) {
        this.#applyOne(cursor, current, row === undefined ? 0 : row[1], now);
        written += 1;
      }
      this.#outcomes[i * 2] = holds ? WRITTEN : REFUSED;
      this.#outcomes[i * 2 + 1] = holds ? this.#ledger.revision : current;
    }
    return written;
  }

  #applyOne(write: BatchCursor, previous: number, previousSize: number, now: number): void {
    const ledger = this.#ledger;
    const size = write.row.length;
    const revision = ledger.revision + 1;
    const kind = write.kind === DELETE ? DELETE_ROW : PUT_ROW;
    const checksum = rowChecksum(crc32c(write.row), revision, previous, kind, now);
    this.#append.run(revision, write.key, previous, kind, now, checksum, write.value);
    if (write.kind === CREATE) {
      this.#insert.run(write.key, revision, size);
      ledger.records += 1;
    } else if (write.kind === DELETE) {
      this.#remove.run(write.key);
      ledger.records -= 1;
    } else {
      this.#update.run(write.key, revision, size);
    }
    const after = kind === DELETE_ROW ? 0 : size;
    ledger.revision = revision;
    ledger.liveBytes += after - previousSize;
    ledger.logBytes += size;
    this.#bytes += size;
    ledger.sumChange += (kind === DELETE_ROW ? 0 : revision) - previous;
  }
}
