/**
 * The memory backend: for tests and for servers whose data is not kept.
 *
 * It fulfils the contract except for durability: nothing survives `close`. Writes of one slice of the event loop are committed
 * together, as in the embedded store.
 *
 * A store can be forked in constant time. Forks share the index of current records until one of them writes; the history
 * ({@link MemoryHistory}), pending writes and watchers belong to one store:
 *
 *     parent   a@1 b@2 a@3 ─── c@4 ── b@5        history from 0 on
 *                      └ fork ─── b@4 ── a@5     history from 3 on; neither sees the writes of the other
 *
 * @module
 */
import type { Activity } from "../../util/activity.ts";
import { OrderedIndex } from "../../util/ordered-index.ts";
import { StoreError } from "../contract.ts";
import type {
  HistoryBounds,
  KeyHistory,
  Pin,
  RangeOptions,
  RangeResult,
  Store,
  StoredRecord,
  StoreEvent,
  StoreMoments,
  StoreStats,
  StoreWatch,
  StoreWatcher,
  Write,
} from "../contract.ts";
import { countWithin } from "../history-bounds.ts";
import { momentsOf } from "../moments.ts";
import {
  checkTransaction,
  checkWrite,
  compactedError,
  compareKeys,
  conditionError,
  eventOf,
  futureError,
  holds,
  revisionsFrom,
} from "../keys.ts";
import { WatchHub } from "../watch-hub.ts";
import { type Keyed, MemoryHistory, byKey } from "./history.ts";

/** Options of the memory backend. */
export interface MemoryStoreOptions {
  /** Returns wall time in milliseconds, which is recorded with each write; without it none is. */
  readonly now?: () => number;
  /** How many changes the history contains; 10 000 by default. */
  readonly historyEvents?: number;
  /** Counts writes until they are committed and delivered to every watcher that has caught up. */
  readonly activity?: Activity;
  /** The first revision, not before that of any record; by default 0, in a fork the revision of its parent. */
  readonly revision?: number;
}

/** A record with the revision of its previous version. */
export interface RememberedRecord extends StoredRecord {
  /** 0 for none, and by default. */
  readonly previousRevision?: number;
}

/** Options of a new memory store. */
export interface OpenMemoryOptions extends MemoryStoreOptions {
  /** The first records; none by default. */
  readonly records?: readonly RememberedRecord[];
}

/** A store in memory. */
export interface MemoryStore extends Store {
  /**
   * Creates a second store with the committed records, in constant time. Neither store sees later writes of the other, and
   * each is closed on its own. Pending writes belong to the parent. The history of the fork begins at the current revision
   * and has the length of its parent's by default. Its writes are counted by its own `activity`.
   *
   * @throws StoreError `closed` when the store is closed
   */
  fork(options?: MemoryStoreOptions): MemoryStore;
  /** All committed records, in key order. */
  records(): readonly RememberedRecord[];
}

/** A write or a transaction that waits for the flush. */
interface Pending {
  readonly writes: readonly Write[];
  /** Resolves to the revision of the first write; those of the others follow it. */
  readonly resolve: (first: number) => void;
  readonly reject: (error: unknown) => void;
}

/** The records with which a store begins. */
interface Current {
  /** The newest version of each key. Versions are never changed, so that stores can share them. */
  readonly records: OrderedIndex<Keyed, StoreEvent>;
  readonly revision: number;
  /** Bytes of the values in `records`. */
  readonly bytes: number;
}

/** Opens a memory store, an empty one by default. */
export function openMemoryStore({ records = [], ...options }: OpenMemoryOptions = {}): Promise<MemoryStore> {
  const index = new OrderedIndex<Keyed, StoreEvent>(byKey);
  let bytes = 0;
  for (const { key, value, revision, previousRevision = 0 } of records) {
    index.set({ type: "put", key, value, revision, previousRevision });
    bytes += value.length;
  }
  return Promise.resolve(new Memory({ records: index, revision: 0, bytes }, options));
}

class Memory implements MemoryStore {
  readonly failed: Promise<StoreError> = new Promise(() => {});
  readonly #options: MemoryStoreOptions;
  readonly #historyEvents: number;
  readonly #records: OrderedIndex<Keyed, StoreEvent>;
  readonly #history: MemoryHistory;
  #revision: number;
  #bytes: number;
  #flushes = 0;
  #writes = 0;
  #pending: Pending[] = [];
  #flushed: (() => void) | undefined;
  #closed = false;
  readonly #pins = new Set<{ readonly revision: number }>();
  /** Its ring is as long as the history, so it never reads a log. */
  readonly #hub: WatchHub;

  constructor({ records, revision, bytes }: Current, options: MemoryStoreOptions) {
    this.#options = options;
    this.#historyEvents = options.historyEvents ?? 10_000;
    this.#records = records;
    this.#revision = options.revision ?? revision;
    this.#bytes = bytes;
    this.#history = new MemoryHistory(this.#revision);
    this.#hub = new WatchHub({
      revision: this.#revision,
      compacted: this.#revision,
      ringEvents: this.#historyEvents,
      ringBytes: Infinity,
      readLog: (_, after) => Promise.reject(compactedError(after, this.#history.compacted)),
    });
  }

  get revision(): number {
    return this.#revision;
  }

  get moments(): ((times: readonly number[]) => Promise<StoreMoments>) | undefined {
    return this.#options.now && ((times) => this.#moments(times));
  }

  fork(options: MemoryStoreOptions = {}): MemoryStore {
    this.#checkOpen();
    const current = { records: this.#records.clone(), revision: this.#revision, bytes: this.#bytes };
    return new Memory(current, { historyEvents: this.#historyEvents, ...options });
  }

  records(): readonly RememberedRecord[] {
    this.#checkOpen();
    return this.#at(this.#revision, "", "", Infinity).map((record) => ({
      ...recordOf(record),
      previousRevision: record.previousRevision,
    }));
  }

  async write(write: Write): Promise<number> {
    this.#checkOpen();
    checkWrite(write);
    return this.#commit([write]);
  }

  async transact(writes: readonly Write[]): Promise<readonly number[]> {
    this.#checkOpen();
    checkTransaction(writes);
    return writes.length === 0 ? [] : revisionsFrom(await this.#commit(writes), writes.length);
  }

  async get(key: string): Promise<StoredRecord | undefined> {
    this.#checkOpen();
    const record = this.#records.get({ key });
    return record && recordOf(record);
  }

  async range(prefix: string, options: RangeOptions = {}): Promise<RangeResult> {
    this.#checkOpen();
    const revision = options.revision ?? this.#revision;
    if (revision > this.#revision) throw futureError(revision, this.#revision);
    if (revision < this.#history.compacted) throw compactedError(revision, this.#history.compacted);
    const { start, limit = Infinity } = options;
    const from = start !== undefined && compareKeys(start, prefix) > 0 ? start : prefix;
    const found = this.#at(revision, prefix, from, limit + 1);
    return { records: found.slice(0, limit).map(recordOf), revision, more: found.length > limit };
  }

  watch(prefix: string, after: number, watcher: StoreWatcher): StoreWatch {
    this.#checkOpen();
    return this.#hub.watch(prefix, after, watcher);
  }

  async compact(revision: number): Promise<void> {
    this.#checkOpen();
    if (revision > this.#revision) throw futureError(revision, this.#revision);
    this.#forget(revision);
  }

  async currentRevision(): Promise<number> {
    this.#checkOpen();
    return this.#revision;
  }

  async stats(): Promise<StoreStats> {
    this.#checkOpen();
    return {
      revision: this.#revision,
      compactedRevision: this.#history.compacted,
      records: this.#records.size,
      bytes: this.#bytes + this.#history.bytes,
      flushes: this.#flushes,
      writes: this.#writes,
      flushMillis: [],
    };
  }

  async history(key: string, bounds: HistoryBounds = {}): Promise<KeyHistory> {
    this.#checkOpen();
    const newest = this.#records.get({ key });
    const newestFirst = [...(newest ? [newest] : []), ...this.#history.of(key)];
    const count = countWithin(newestFirst, bounds);
    const versions = newestFirst.slice(0, count).map(({ type, revision, value, previousRevision }) => {
      return { type, revision, value, previousRevision, time: this.#history.timeOf(revision) };
    });
    return { versions, more: newestFirst.length > count, compactedRevision: this.#history.compacted };
  }

  async pin(): Promise<Pin> {
    this.#checkOpen();
    const pin = { revision: this.#revision, release: () => void this.#pins.delete(pin) };
    this.#pins.add(pin);
    return pin;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#flush();
    this.#closed = true;
    this.#hub.end(new StoreError("closed", "The store has been closed"));
  }

  #checkOpen(): void {
    if (this.#closed) throw new StoreError("closed", "The store has been closed");
  }

  /** Commits writes together, at the end of this slice of the event loop. */
  #commit(writes: readonly Write[]): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ writes, resolve, reject });
      if (this.#pending.length > 1) return;
      this.#flushed = this.#options.activity?.begin(`write of ${writes[0]!.key}`);
      queueMicrotask(() => this.#flush());
    });
  }

  #flush(): void {
    const pending = this.#pending;
    if (pending.length === 0) return;
    // A watcher may write in its call: those writes have a flush of their own.
    const flushed = this.#flushed;
    this.#pending = [];
    const events: StoreEvent[] = [];
    const outcomes = pending.map(({ writes }) => this.#applyAll(writes, events));
    if (events.length > 0) {
      this.#flushes += 1;
      this.#writes += events.length;
      this.#hub.commit(events, this.#revision);
      this.#forget(this.#revision - this.#historyEvents);
    }
    for (const [i, { resolve, reject }] of pending.entries()) {
      const outcome = outcomes[i];
      if (typeof outcome === "number") resolve(outcome);
      else reject(outcome);
    }
    flushed?.();
  }

  /** The first `limit` versions as of a revision: those that are still current, and those that were replaced since. */
  #at(revision: number, prefix: string, from: string, limit: number): StoreEvent[] {
    const found: StoreEvent[] = [];
    this.#records.scan({ key: from }, (record) => {
      if (!record.key.startsWith(prefix)) return false;
      if (record.revision <= revision) found.push(record);
      return found.length < limit;
    });
    if (revision === this.#revision) return found;
    return [...found, ...this.#history.at(revision, prefix, from, limit)].toSorted(byKey).slice(0, limit);
  }

  /** Applies all writes and adds their events, or none; returns the revision of the first one, or the error. */
  #applyAll(writes: readonly Write[], events: StoreEvent[]): number | StoreError {
    const refusal = writes.length === 1 ? undefined : this.#refusalOf(writes);
    if (refusal) return refusal;
    const first = this.#revision + 1;
    for (const write of writes) {
      const outcome = this.#apply(write);
      if (outcome instanceof StoreError) return outcome;
      events.push(outcome);
    }
    return first;
  }

  /** The error of the first write whose condition does not hold. */
  #refusalOf(writes: readonly Write[]): StoreError | undefined {
    for (const write of writes) {
      const current = this.#records.get(write)?.revision ?? 0;
      if (!holds(write, current)) return conditionError(write, current);
    }
    return undefined;
  }

  /** Applies a write, and undoes it where its condition does not hold, which is rare. */
  #apply(write: Write): StoreEvent | StoreError {
    const event = eventOf(write, this.#revision + 1);
    const isPut = event.type === "put";
    const previous = isPut ? this.#records.set(event) : this.#records.delete(event);
    const current = previous?.revision ?? 0;
    if (!holds(write, current)) {
      if (previous) this.#records.set(previous);
      else this.#records.delete(event);
      return conditionError(write, current);
    }
    this.#revision += 1;
    this.#bytes += (isPut ? event.value.length : 0) - (previous?.value.length ?? 0);
    this.#history.add(event, previous, this.#options.now?.());
    return event;
  }

  async #moments(times: readonly number[]): Promise<StoreMoments> {
    this.#checkOpen();
    return momentsOf(this.#history.compacted, this.#revision, (revision) => this.#history.timeOf(revision), times);
  }

  #forget(desired: number): void {
    let revision = desired;
    for (const pinned of this.#pins) revision = Math.min(revision, pinned.revision);
    this.#history.forget(revision);
    this.#hub.forget(this.#history.compacted);
  }
}

const recordOf = ({ key, value, revision }: StoredRecord): StoredRecord => ({ key, value, revision });
