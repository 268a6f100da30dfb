import { type Entry, type Selection, isSelective, passes } from "./entry.ts";

/** One change for a watcher. */
export interface WatchEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  /** The object after the change; for DELETED its last (matching) state, with the revision of the change (DEC-28). */
  readonly entry: Entry;
  /** The state before the change, where a selective watcher gets it as MODIFIED. */
  readonly previous?: Entry | undefined;
}

/*
 * Bytes in addition to those of values, as measured (test/promises/history.test.ts measures them again): of a change with its entry in the
 * list and the shared event; and of a value with its entry, its key and its buffer.
 */
const CHANGE = 170;
const VALUE = 310;

/** The bytes of an old value in memory. */
export const costOf = (entry: Entry): number => costOfValues(1, entry.bytes.length);

/** The same of several values, which have so many bytes together. */
export const costOfValues = (count: number, bytes: number): number => count * VALUE + bytes;

/** One change to one object. */
export class Change {
  readonly revision: number;
  /** The object after the change; of a delete its last value. It has the revision of the change. */
  readonly entry: Entry;
  /** The state before; undefined when the change created the object. */
  readonly previous: Entry | undefined;
  readonly deleted: boolean;
  /** The time of its arrival on the steady clock, in ms. */
  readonly at: number;
  // Created for the first watcher and shared by all, together with everything that is derived from their entries.
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

  /** Bytes that only this change keeps in memory: the replaced value, and the last value of a delete. */
  get cost(): number {
    return CHANGE + (this.previous ? costOf(this.previous) : 0) + (this.deleted ? costOf(this.entry) : 0);
  }

  /**
   * The event for watchers of a selection that covers the key, if any. An object that starts to match is ADDED, one that stops to
   * match is DELETED (DEC-28).
   */
  seenBy(selection: Selection, restamp: (entry: Entry, revision: number) => Entry): WatchEvent | undefined {
    if (!isSelective(selection)) return this.#unchanged();
    const { entry, previous, deleted } = this;
    const before = previous !== undefined && passes(selection, previous);
    const now = passes(selection, entry);
    if (!deleted && now) return before ? this.#unchanged() : (this.#entered ??= { type: "ADDED", entry });
    if (!before) return undefined;
    if (now) return this.#unchanged();
    return (this.#left ??= { type: "DELETED", entry: restamp(previous, this.revision) });
  }

  #unchanged(): WatchEvent {
    return (this.#plain ??= {
      type: this.deleted ? "DELETED" : this.previous === undefined ? "ADDED" : "MODIFIED",
      entry: this.entry,
      previous: this.previous,
    });
  }
}

/** Limits of the history; a change is dropped when both `events` and `millis` are exceeded, or when there are too many bytes. */
export interface HistoryLimits {
  readonly events: number;
  readonly millis: number;
}

/** All changes after {@link History.start}, in order of revision. */
export class History {
  readonly #limits: HistoryLimits;
  /** Undefined before `#head`: dropped changes must not keep values in memory. */
  #changes: (Change | undefined)[] = [];
  #head = 0;
  #start: number;
  #bytes = 0;

  constructor(start: number, limits: HistoryLimits) {
    this.#start = start;
    this.#limits = limits;
  }

  /** The history contains all changes after this revision. */
  get start(): number {
    return this.#start;
  }

  get length(): number {
    return this.#changes.length - this.#head;
  }

  /** The cost of all changes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds the newest change and drops those over the limits. */
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
   * The changes after a revision, which is not before {@link History.start}, oldest first: at most `limit`, and all others with the
   * revision of the last one.
   */
  after(revision: number, limit: number): readonly Change[] {
    const first = this.#indexAfter(revision);
    const last = this.#changes[first + limit - 1];
    return this.#changes.slice(first, last && this.#indexAfter(last.revision)) as Change[];
  }

  /** Visits the changes after `low` and up to `high`, newest first. */
  backwards(high: number, low: number, visit: (change: Change) => void): void {
    const first = this.#indexAfter(low);
    for (let i = this.#indexAfter(high) - 1; i >= first; i--) visit(this.#changes[i]!);
  }

  /** The revision of the last change up to `revision`; the start when there is none. */
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
    // Cutting only when half is unused keeps the cost per change constant.
    if (this.#head > 1024 && this.#head > this.#changes.length / 2) {
      this.#changes = this.#changes.slice(this.#head);
      this.#head = 0;
    }
  }
}
