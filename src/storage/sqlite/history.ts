/**
 * Compacts the history to its bounds, in small steps.
 *
 * To compact a revision is to remove from the log what only older reads could see: the version that the change replaced, and a
 * delete itself. Revisions are compacted in order, each costs a few rows, and a step can end after any of them. An example, with
 * `previous` in brackets:
 *
 *     log: 1 put a [0], 2 put b [0], 3 put a [1], 4 delete b [2]
 *     compacted to 3: removes 1      leaves 2, 3, 4
 *     compacted to 4: removes 2, 4   leaves 3
 *
 * @module
 */
import type { DatabaseSync } from "node:sqlite";
import { systemClock } from "../../util/clock.ts";
import type { Ledger } from "./ledger.ts";
import { DELETE_ROW } from "./protocol.ts";
import type { OpenOptions } from "./protocol.ts";
import { type ArrayStatement, arrayStatement } from "./statements.ts";

/** The duration of one step; writes come between steps. */
const STEP_MS = 3;
/** The maximum of rows of a step; its commit has to write the changed pages. */
export const STEP_ROWS = 200;
/** Bytes of removed rows between two reads of the clock, and the bytes that each row counts in addition. */
const CLOCK_BYTES = 256 * 1024;
const ROW_COST = 16 * 1024;

type LogRow = readonly [revision: number, previous: number, kind: number, time: number, key: string];

/** See the head of this file. */
export class History {
  readonly #ledger: Ledger;
  readonly #options: OpenOptions;
  /** The oldest revision that a running read still needs. */
  readonly #pinned: () => number;
  readonly #next: ArrayStatement<LogRow>;
  /** The time of the oldest change of the history, and the compacted revision at which it was read. */
  #oldest = { compacted: -1, revision: 0, time: 0 };
  readonly #remove: ArrayStatement<readonly [bytes: number]>;

  constructor(db: DatabaseSync, ledger: Ledger, options: OpenOptions, pinned: () => number) {
    this.#ledger = ledger;
    this.#options = options;
    this.#pinned = pinned;
    this.#next = arrayStatement(
      db,
      "SELECT revision, previous, kind, time, key FROM log WHERE revision > ?1 ORDER BY revision LIMIT ?2",
    );
    // A damaged row must not remove another one: the removed row has the same key and is not the current one.
    this.#remove = arrayStatement(
      db,
      `DELETE FROM log WHERE revision = ?1 AND revision <= ?2 AND key = ?3
         AND NOT EXISTS (SELECT 1 FROM live WHERE live.key = ?3 AND live.revision = ?1)
       RETURNING octet_length(key) + octet_length(value) AS size`,
    );
  }

  /** Compacts, in the transaction of `written` writes, the history that they push out of its bounds. */
  trimBehind(written: number, now: number): void {
    if (this.#isDue(0, now)) this.#work(0, now, 2 * written);
  }

  /**
   * Compacts one step in a transaction of its own, up to `target` and to the bounds.
   *
   * It waits for the disk like any write: a transaction that is complete in the log must be on disk (see wal.ts).
   *
   * @param rows the maximum of changes
   * @returns whether there is more to do
   */
  step(target: number, now: number, rows: number = STEP_ROWS): boolean {
    const before = this.#ledger.compacted;
    this.#ledger.transaction(() => {
      this.#work(target, now, rows);
      return this.#ledger.compacted > before;
    });
    // A running read can prevent progress; the caller tries again later.
    return this.#ledger.compacted > before && this.#isDue(target, now);
  }

  /** Compacts up to a lost revision: watches from before it must end with `compacted`. */
  forgetThrough(lost: number, now: number): void {
    while (this.#ledger.compacted < lost) this.step(lost, now);
  }

  /** Whether there is no history, and no running read needs any. */
  get isGone(): boolean {
    const { compacted, revision } = this.#ledger;
    return compacted === revision && this.#pinned() > revision;
  }

  /** Removes the version that the current change replaces, together with the whole history before it. */
  skip(previous: number, key: string): void {
    if (previous > 0) this.#drop(previous, previous, key);
    this.#ledger.compacted = this.#ledger.revision;
  }

  #work(target: number, now: number, rows: number): void {
    const ledger = this.#ledger;
    const end = systemClock.steady() + STEP_MS;
    if (ledger.compacted >= ledger.revision) return;
    const due = this.#next.all(ledger.compacted, rows);
    const limit = Math.min(this.#pinned(), ledger.revision);
    let stopped = due.length < rows;
    let unseen = 0;
    for (const [revision, previous, kind, time, key] of due) {
      if (revision > limit || !this.#exceeds(target, now, revision, time)) {
        stopped = true;
        break;
      }
      if (unseen >= CLOCK_BYTES) {
        if (systemClock.steady() > end) return;
        unseen = 0;
      }
      unseen += ROW_COST;
      if (previous > 0) unseen += this.#drop(previous, revision, key);
      if (kind === DELETE_ROW) unseen += this.#drop(revision, revision, key);
      ledger.compacted = revision;
    }
    // Unused revisions have no rows.
    if (stopped) ledger.compacted = Math.max(ledger.compacted, Math.min(target, limit));
  }

  /** Whether the oldest change of the history is out of bounds; reads the log only when the history has changed. */
  #isDue(target: number, now: number): boolean {
    const { compacted, revision } = this.#ledger;
    if (compacted >= revision) return false;
    if (compacted < target) return true;
    if (this.#oldest.compacted !== compacted) {
      const [next] = this.#next.all(compacted, 1);
      if (next === undefined) return false;
      this.#oldest = { compacted, revision: next[0], time: next[3] };
    }
    return this.#exceeds(target, now, this.#oldest.revision, this.#oldest.time);
  }

  #exceeds(target: number, now: number, revision: number, time: number): boolean {
    const { historyMillis, historyMaxShare, historyMinBytes } = this.#options;
    if (revision <= target || time <= now - historyMillis) return true;
    const { historyBytes, liveBytes } = this.#ledger;
    return historyBytes > Math.max(historyMinBytes, historyMaxShare * liveBytes);
  }

  /** Removes a row, if it exists; returns its bytes. */
  #drop(revision: number, newest: number, key: string): number {
    const [bytes] = this.#remove.get(revision, newest, key) ?? [0];
    this.#ledger.logBytes -= bytes;
    return bytes;
  }
}
