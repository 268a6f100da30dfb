/**
 * Makes a new store of records from elsewhere: of a backup, or of what is whole in a damaged store.
 *
 * The store appears when it is complete. Its revision is ahead of all that clients can have seen, and its history begins
 * there: whoever knows an older revision is told that it is gone, and lists again.
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

/** Revisions that are left out before a store goes on that was made from a backup or repaired. */
export const REVISION_GAP = 1_000_000;

/** A record of the new store. */
export interface RebuiltRecord {
  readonly key: string;
  readonly value: Uint8Array;
  readonly revision: number;
  /** Wall time of its last write in milliseconds, as far as that is known. */
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
  /** No record of elsewhere has a revision after this one. */
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

  /** Adds a record. Where another one has its revision already, as of a transaction over etcd, it gets one that is free. */
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

  /** Puts a record into the log at a revision; false where that is taken. */
  #isAppended({ key, value, time }: RebuiltRecord, revision: number): boolean {
    const checksum = rowChecksum(crc32c(value, crc32c(Buffer.from(key))), revision, 0, PUT_ROW, time);
    return Number(this.#append.run(revision, key, PUT_ROW, time, checksum, value).changes) === 1;
  }

  /** Completes the store; it goes on after `revision`, or after its newest record where that is higher. */
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

  /** Gives it up and leaves nothing behind. */
  abandon(): void {
    if (this.#db.isOpen) this.#db.close();
    for (const suffix of ["", "-wal", "-journal"]) rmSync(`${this.#file}.new${suffix}`, { force: true });
  }
}
