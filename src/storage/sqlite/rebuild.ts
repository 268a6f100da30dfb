/**
 * Creates a store from records of a backup or of a damaged store.
 *
 * The store gets its name when it is complete. Its revision is higher than any that clients can have seen, and its history
 * begins there: a watch from an older revision ends with `compacted`, and the client lists again.
 *
 * @module
 */
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { StoreError } from "../contract.ts";
import { crc32c, rowChecksum } from "./crc32c.ts";
import { writeClosedMark } from "./mark.ts";
import { PUT_ROW } from "./protocol.ts";
import { DATABASE_FILE, beginDatabase, finishDatabase } from "./schema.ts";

/** Revisions that a store from a backup or a repair skips. */
export const REVISION_GAP = 1_000_000;

/** A record of the new store. */
export interface RebuiltRecord {
  readonly key: string;
  readonly value: Uint8Array;
  readonly revision: number;
  /** Wall time of its last write in milliseconds, where known. */
  readonly time: number;
}

/** See the head of this file. */
export class Rebuild {
  readonly #directory: string;
  readonly #file: string;
  readonly #db: DatabaseSync;
  readonly #append: StatementSync;
  readonly #insert: StatementSync;
  #records = 0;
  #bytes = 0;
  #sum = 0n;
  #newest = 0;
  /** The highest revision so far, for records without one of their own. */
  #spare: number;

  /**
   * @param newest the newest revision that a record can have
   * @throws StoreError `failed` when there is a store in `directory`
   */
  constructor(directory: string, newest: number) {
    this.#directory = directory;
    this.#spare = newest;
    this.#file = join(directory, DATABASE_FILE);
    for (const name of [DATABASE_FILE, `${DATABASE_FILE}-wal`, "created"]) {
      if (!existsSync(join(directory, name))) continue;
      throw new StoreError("failed", `Expected ${directory} to hold no store yet, found ${name} there`);
    }
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    this.#db = beginDatabase(`${this.#file}.new`);
    this.#db.exec("PRAGMA wal_autocheckpoint = 2000; PRAGMA synchronous = OFF; BEGIN");
    this.#append = this.#db.prepare(
      "INSERT INTO log (revision, key, previous, kind, time, checksum, value) VALUES (?, ?, 0, ?, ?, ?, ?) ON CONFLICT (revision) DO NOTHING",
    );
    this.#insert = this.#db.prepare("INSERT INTO live (key, revision, size) VALUES (?, ?, ?)");
  }

  /** Adds a record. When its revision is taken, as by a transaction of etcd, it gets a free one. */
  add(record: RebuiltRecord): void {
    let { revision } = record;
    while (!this.#isAppended(record, revision)) revision = ++this.#spare;
    const size = Buffer.byteLength(record.key) + record.value.length;
    this.#insert.run(record.key, revision, size);
    this.#records += 1;
    this.#bytes += size;
    this.#sum += BigInt(revision);
    this.#newest = Math.max(this.#newest, revision);
    if (this.#records % 10_000 === 0) this.#db.exec("COMMIT; BEGIN");
  }

  /** Inserts a record at a revision; returns false when that is taken. */
  #isAppended({ key, value, time }: RebuiltRecord, revision: number): boolean {
    const checksum = rowChecksum(crc32c(value, crc32c(Buffer.from(key))), revision, 0, PUT_ROW, time);
    return Number(this.#append.run(revision, key, PUT_ROW, time, checksum, value).changes) === 1;
  }

  /** Completes the store; it continues after `revision`, or after its newest record where that is higher. */
  finish(revision: number): number {
    const last = Math.max(revision, this.#newest);
    this.#db
      .prepare(
        "UPDATE meta SET revision = ?1, compacted = ?1, records = ?2, revision_sum = ?3, live_bytes = ?4, log_bytes = ?4",
      )
      .run(last, this.#records, this.#sum, this.#bytes);
    this.#db.exec("COMMIT");
    this.#db.close();
    writeClosedMark(this.#directory, last);
    finishDatabase(this.#directory, `${this.#file}.new`, this.#file);
    return last;
  }

  /** Removes the incomplete store. */
  abandon(): void {
    if (this.#db.isOpen) this.#db.close();
    for (const suffix of ["", "-wal", "-journal"]) rmSync(`${this.#file}.new${suffix}`, { force: true });
  }
}
