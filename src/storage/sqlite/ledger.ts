/**
 * The counters of the database, kept in memory and written in each transaction that changes them.
 *
 * Invariant: outside of {@link Ledger.transaction} the fields are those of the last commit, except a revision that
 * {@link Ledger.advance} could not write for lack of space.
 *
 * @module
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { StoreError } from "../contract.ts";
import { isFull } from "./errors.ts";

/** See the head of this file. */
export class Ledger {
  /** The newest revision. */
  revision: number;
  /** The oldest revision of the history. */
  compacted: number;
  /** Existing keys. */
  records: number;
  /** Bytes of their keys and values. */
  liveBytes: number;
  /** Bytes of all keys and values in the log. */
  logBytes: number;
  /** The change of the sum of all live revisions in this transaction; see `checkCounts` in schema.ts. */
  sumChange = 0;
  readonly #db: DatabaseSync;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #save: StatementSync;
  #saved = true;

  constructor(db: DatabaseSync) {
    this.#db = db;
    const row = db.prepare("SELECT * FROM meta").get();
    if (row === undefined) throw new StoreError("corrupt", "Expected the database to hold its counters, found none");
    this.revision = Number(row["revision"]);
    this.compacted = Number(row["compacted"]);
    this.records = Number(row["records"]);
    this.liveBytes = Number(row["live_bytes"]);
    this.logBytes = Number(row["log_bytes"]);
    this.#begin = db.prepare("BEGIN IMMEDIATE");
    this.#commit = db.prepare("COMMIT");
    this.#save = db.prepare(
      "UPDATE meta SET revision = ?1, compacted = ?2, records = ?3, revision_sum = revision_sum + ?4, live_bytes = ?5, log_bytes = ?6",
    );
  }

  /** Bytes of the history: replaced values, and deletes. */
  get historyBytes(): number {
    return this.logBytes - this.liveBytes;
  }

  /** Whether the database contains these counters. */
  get saved(): boolean {
    return this.#saved;
  }

  /** Skips the revisions up to this one. */
  advance(revision: number): void {
    if (revision <= this.revision) return;
    this.revision = revision;
    this.#saved = false;
    try {
      this.transaction(() => true);
    } catch (error) {
      if (!isFull(error)) throw error;
    }
  }

  /** Runs `work` in a transaction, which is rolled back when it returns false or anything throws. */
  transaction(work: () => boolean): void {
    const { revision, compacted, records, liveBytes, logBytes } = this;
    this.sumChange = 0;
    let committed = false;
    try {
      this.#begin.run();
      if (work()) {
        this.#save.run(
          this.revision,
          this.compacted,
          this.records,
          BigInt(this.sumChange),
          this.liveBytes,
          this.logBytes,
        );
        this.#commit.run();
        committed = true;
        this.#saved = true;
      }
    } finally {
      if (!committed) {
        Object.assign(this, { revision, compacted, records, liveBytes, logBytes });
        // SQLite has already rolled back after some errors, such as a full disk.
        if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
      }
    }
  }
}
