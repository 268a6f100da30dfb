/**
 * The recent changes of one resource, in memory.
 *
 * @module
 */
import { type Entry, type Selection, isSelective, passes } from "./entry.ts";

/** One change, as a watcher sees it. */
export interface WatchEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  /** The object after the change; for DELETED its last (matching) state, with the revision of the change (DEC-28). */
  readonly entry: Entry;
  /** What was there before, of a change that a selective watcher sees as MODIFIED. */
  readonly previous?: Entry | undefined;
}

/*
 * What is kept beside the bytes of values, in bytes, as it was measured (test/promises/history.test.ts does so again): by a change
 * with its place in the list and the event that watchers share; and by each value with its entry, its key and its buffer.
 */
const CHANGE = 170;
const VALUE = 310;

/** Bytes that a past value takes while something keeps it. */
export const costOf = (entry: Entry): number => VALUE + entry.bytes.length;

/** One change to one object. */
export class Change {
  readonly revision: number;
  /** The object after the change, for a delete its last value; either way with the revision of the change. */
  readonly entry: Entry;
  /** What was there before; undefined when the change created the object. */
  readonly previous: Entry | undefined;
  readonly deleted: boolean;
  /** When it came, on the steady clock, in ms. */
  readonly at: number;
  // Made when the first watcher needs them and shared by all, so that what is derived from their entries is too.
  #plain: WatchEvent | undefined;
  #entered: WatchEvent | undefined;
  #left: WatchEvent | undefined;

  constructor(entry: Entry, previous: Entry | undefined, deleted: boolean, at: number) {
    this.revision = entry.revision;
    this.entry = entry;
    this.previous = previous;
    this.deleted = deleted;
    this.at = at;
  }

  /** Bytes that only this change keeps alive: what it replaced, and the last value of a delete. */
  get cost(): number {
    return CHANGE + (this.previous ? costOf(this.previous) : 0) + (this.deleted ? costOf(this.entry) : 0);
  }

  /**
   * What watchers of a selection that covers the key see of the change: nothing, or one event. An object that starts
   * to match appears, one that stops to match disappears (DEC-28).
   */
  seenBy(selection: Selection, restamp: (entry: Entry, revision: number) => Entry): WatchEvent | undefined {
    if (!isSelective(selection)) return this.#asItIs();
    const { entry, previous, deleted } = this;
    const before = previous !== undefined && passes(selection, previous);
    const now = passes(selection, entry);
    if (!deleted && now) return before ? this.#asItIs() : (this.#entered ??= { type: "ADDED", entry });
    if (!before) return undefined;
    if (now) return this.#asItIs();
    return (this.#left ??= { type: "DELETED", entry: restamp(previous, this.revision) });
  }

  #asItIs(): WatchEvent {
    return (this.#plain ??= {
      type: this.deleted ? "DELETED" : this.previous === undefined ? "ADDED" : "MODIFIED",
      entry: this.entry,
      previous: this.previous,
    });
  }
}

/** How much history is kept; a change goes when it is over both `events` and `millis`, or when there are too many bytes. */
export interface HistoryLimits {
  readonly events: number;
  readonly millis: number;
}

/** The changes after {@link History.start}, all of them, in order of revision. */
export class History {
  readonly #limits: HistoryLimits;
  /** Undefined before `#head`: what has been dropped must not keep values alive. */
  #changes: (Change | undefined)[] = [];
  #head = 0;
  #start: number;
  #bytes = 0;

  constructor(start: number, limits: HistoryLimits) {
    this.#start = start;
    this.#limits = limits;
  }

  /** Every change after this revision is here, none up to it. */
  get start(): number {
    return this.#start;
  }

  get length(): number {
    return this.#changes.length - this.#head;
  }

  /** What the changes cost together. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds the newest change and drops those that are over the limits at that time. */
  push(change: Change): void {
    this.#changes.push(change);
    this.#bytes += change.cost;
    const { events, millis } = this.#limits;
    while (this.length > events && this.#changes[this.#head]!.at < change.at - millis) this.#drop();
  }

  /** Drops the oldest changes until at most `bytes` are left. */
  shrink(bytes: number): void {
    while (this.#bytes > bytes && this.length > 0) this.#drop();
  }

  /**
   * The changes after a revision that is not before {@link History.start}, oldest first: at most `most`, and what else has
   * the revision of the last one.
   */
  after(revision: number, most: number): readonly Change[] {
    const first = this.#indexAfter(revision);
    const last = this.#changes[first + most - 1];
    return this.#changes.slice(first, last && this.#indexAfter(last.revision)) as Change[];
  }

  /** Visits the changes after `low` and up to `high`, newest first. */
  backwards(high: number, low: number, visit: (change: Change) => void): void {
    const first = this.#indexAfter(low);
    for (let i = this.#indexAfter(high) - 1; i >= first; i--) visit(this.#changes[i]!);
  }

  /** The revision of the last change that is not after `revision`; the start when there is none. */
  lastUpTo(revision: number): number {
    const i = this.#indexAfter(revision) - 1;
    return i < this.#head ? this.#start : this.#changes[i]!.revision;
  }

  /** Index of the first change that is after `revision`. */
  #indexAfter(revision: number): number {
    let low = this.#head;
    let high = this.#changes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#changes[middle]!.revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #drop(): void {
    const change = this.#changes[this.#head]!;
    this.#changes[this.#head++] = undefined;
    this.#bytes -= change.cost;
    this.#start = change.revision;
    // Cutting off only when half is waste keeps the price of a change constant.
    if (this.#head > 1024 && this.#head > this.#changes.length / 2) {
      this.#changes = this.#changes.slice(this.#head);
      this.#head = 0;
    }
  }
}
