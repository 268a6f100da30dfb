/**
 * Keeps the history within its bounds, a little at a time.
 *
 * A revision is compacted by removing from the log what only older readers could see: the version that the change
 * replaced and, when the change was a delete, the change itself. So the history is worked off in order of revision, each
 * step costs a few rows, and it can stop after any of them. One run of it, with `previous` in brackets:
 *
 *     log: 1 put a [0], 2 put b [0], 3 put a [1], 4 delete b [2]
 *     compacted to 3: removes 1      leaves 2, 3, 4
 *     compacted to 4: removes 2, 4   leaves 3
 *
 * @module
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { systemClock } from "../../util/clock.ts";
import type { Ledger } from "./ledger.ts";
import { DELETE_ROW } from "./protocol.ts";
import type { OpenOptions } from "./protocol.ts";

/** How long one step may work before it lets writes pass. */
const STEP_MILLIS = 3;
/** Rows that a step takes at most; a step's commit has to write the pages that it touched. */
export const STEP_ROWS = 200;
/** Bytes of removed rows between two looks at the clock, and the bytes that a row counts for beside its own. */
const LOOK_BYTES = 256 * 1024;
const ROW_COST = 16 * 1024;

type LogRow = readonly [revision: number, previous: number, kind: number, time: number, key: string];

/** See the head of this file. */
export class History {
  readonly #ledger: Ledger;
  readonly #options: OpenOptions;
  /** The oldest revision that a running read still needs. */
  readonly #pinned: () => number;
  readonly #next: StatementSync;
  /** When the oldest change of the history was made, and the compacted revision at which that was found out. */
  #oldest = { compacted: -1, revision: 0, time: 0 };
  readonly #remove: StatementSync;

  constructor(db: DatabaseSync, ledger: Ledger, options: OpenOptions, pinned: () => number) {
    this.#ledger = ledger;
    this.#options = options;
    this.#pinned = pinned;
    this.#next = db.prepare(
      "SELECT revision, previous, kind, time, key FROM log WHERE revision > ?1 ORDER BY revision LIMIT ?2",
    );
    this.#next.setReturnArrays(true);
    // A damaged row must not lead to the end of another one: what goes is of the same key, and not what the key has now.
    this.#remove = db.prepare(
      `DELETE FROM log WHERE revision = ?1 AND revision <= ?2 AND key = ?3
         AND NOT EXISTS (SELECT 1 FROM live WHERE live.key = ?3 AND live.revision = ?1)
       RETURNING octet_length(key) + octet_length(value) AS size`,
    );
    this.#remove.setReturnArrays(true);
  }

  /** Pays, inside the transaction of `written` writes, for the history that they push out of its bounds. */
  trimBehind(written: number, now: number): void {
    if (this.#isDue(0, now)) this.#work(0, now, 2 * written);
  }

  /**
   * One step in a transaction of its own, towards `target` and towards the bounds.
   *
   * It waits for the disk like any write: what the log shows as complete must be there (see wal.ts).
   *
   * @param rows how many changes it takes at most
   * @returns whether there is more to do
   */
  step(target: number, now: number, rows: number = STEP_ROWS): boolean {
    const before = this.#ledger.compacted;
    this.#ledger.transaction(() => {
      this.#work(target, now, rows);
      return this.#ledger.compacted > before;
    });
    // A read that runs can stand in the way; whoever asks tries again later.
    return this.#ledger.compacted > before && this.#isDue(target, now);
  }

  /** Gives up the history up to a revision that is lost: who was there before it must not think that nothing happened. */
  forgetThrough(lost: number, now: number): void {
    while (this.#ledger.compacted < lost) this.step(lost, now);
  }

  /** Whether there is nothing before the present, and nobody who reads holds on to it. */
  get isGone(): boolean {
    const { compacted, revision } = this.#ledger;
    return compacted === revision && this.#pinned() > revision;
  }

  /** Keeps nothing of what `previous` was, either, which the change that is being made replaces; all before is gone. */
  skip(previous: number, key: string): void {
    if (previous > 0) this.#drop(previous, previous, key);
    this.#ledger.compacted = this.#ledger.revision;
  }

  #work(target: number, now: number, rows: number): void {
    const ledger = this.#ledger;
    const end = systemClock.steady() + STEP_MILLIS;
    if (ledger.compacted >= ledger.revision) return;
    const due = this.#next.all(ledger.compacted, rows) as unknown as LogRow[];
    const limit = Math.min(this.#pinned(), ledger.revision);
    let stopped = due.length < rows;
    let unseen = 0;
    for (const [revision, previous, kind, time, key] of due) {
      if (revision > limit || !this.#exceeds(target, now, revision, time)) {
        stopped = true;
        break;
      }
      if (unseen >= LOOK_BYTES) {
        if (systemClock.steady() > end) return;
        unseen = 0;
      }
      unseen += ROW_COST;
      if (previous > 0) unseen += this.#drop(previous, revision, key);
      if (kind === DELETE_ROW) unseen += this.#drop(revision, revision, key);
      ledger.compacted = revision;
    }
    // Revisions that were never given out have no rows: they are forgotten by counting.
    if (stopped) ledger.compacted = Math.max(ledger.compacted, Math.min(target, limit));
  }

  /** Whether the oldest change of the history is out of bounds; asks the log only after the history has moved. */
  #isDue(target: number, now: number): boolean {
    const { compacted, revision } = this.#ledger;
    if (compacted >= revision) return false;
    if (compacted < target) return true;
    if (this.#oldest.compacted !== compacted) {
      const [next] = this.#next.all(compacted, 1) as unknown as LogRow[];
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

  /** Removes a row that may be gone already; how many bytes it had. */
  #drop(revision: number, newest: number, key: string): number {
    const [bytes] = (this.#remove.get(revision, newest, key) ?? [0]) as unknown as readonly [number];
    this.#ledger.logBytes -= bytes;
    return bytes;
  }
}
