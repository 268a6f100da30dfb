/**
 * The memory backend: for tests and for servers whose data may go when they end.
 *
 * It keeps the promises of the contract except the one about disks: nothing survives `close`. Writes of one turn of
 * the event loop are committed together, as the embedded store would do it.
 *
 * A store can be forked in constant time. What is there now is an index that forks share until one of them writes; what
 * was there before ({@link Past}), the writes that wait and the watchers belong to one store and are not passed on:
 *
 *     parent   a@1 b@2 a@3 ─── c@4 ── b@5        history from 0 on
 *                      └ fork ─── b@4 ── a@5     history from 3 on; neither sees what the other writes
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
  StoreStats,
  StoreWatch,
  StoreWatcher,
  Write,
} from "../contract.ts";
import { countWithin } from "../history-bounds.ts";
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
import { type Keyed, Past, byKey } from "./past.ts";

/** Options of the memory backend. */
export interface MemoryStoreOptions {
  /** How many changes can be read back and watched from; 10 000 by default. */
  readonly historyEvents?: number;
  /** Counts writes until they are committed and every watcher that keeps up has been told. */
  readonly activity?: Activity;
  /**
   * The revision at which it stands in the beginning, its history too; not before that of any record. For an empty store 0
   * and for a fork where its parent stands, by default.
   */
  readonly revision?: number;
}

/** A record with what is known of its past. */
export interface RememberedRecord extends StoredRecord {
  /** The revision of the version before; 0 for none, and by default. */
  readonly previousRevision?: number;
}

/** Options of a memory store that begins with something. */
export interface OpenMemoryOptions extends MemoryStoreOptions {
  /** What is there in the beginning; nothing by default. */
  readonly records?: readonly RememberedRecord[];
}

/** A store in memory. */
export interface MemoryStore extends Store {
  /**
   * A second store that begins with what is committed now, in constant time whatever there is; from here on neither
   * sees what the other writes, and each is closed for itself. Writes that were called but are not committed yet are
   * the parent's alone. The history of the fork begins at the present revision: what is older is `compacted` there. It
   * keeps as much of it as its parent by default, and counts its work where it is told, not where its parent does.
   *
   * @throws StoreError `closed` when the store is closed
   */
  fork(options?: MemoryStoreOptions): MemoryStore;
  /** All that is committed now, in key order. */
  records(): readonly RememberedRecord[];
}

/** Writes that are carried out as one. */
interface Pending {
  readonly writes: readonly Write[];
  /** Takes the revision of the first one; those of the others follow it. */
  readonly resolve: (first: number) => void;
  readonly reject: (error: unknown) => void;
}

/** What a store begins with. */
interface Present {
  /** The newest version of each key that is there. Versions are never changed, so that stores can share them. */
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
  readonly #past: Past;
  #revision: number;
  #bytes: number;
  #flushes = 0;
  #writes = 0;
  #pending: Pending[] = [];
  #flushed: (() => void) | undefined;
  #closed = false;
  readonly #pins = new Set<{ readonly revision: number }>();
  /** Its ring is as long as the history, so that it never has to read a log. */
  readonly #hub: WatchHub;

  constructor({ records, revision, bytes }: Present, options: MemoryStoreOptions) {
    this.#options = options;
    this.#historyEvents = options.historyEvents ?? 10_000;
    this.#records = records;
    this.#revision = options.revision ?? revision;
    this.#bytes = bytes;
    this.#past = new Past(this.#revision);
    this.#hub = new WatchHub({
      revision: this.#revision,
      compacted: this.#revision,
      ringEvents: this.#historyEvents,
      ringBytes: Infinity,
      readLog: (_, after) => Promise.reject(compactedError(after, this.#past.compacted)),
    });
  }

  get revision(): number {
    return this.#revision;
  }

  fork(options: MemoryStoreOptions = {}): MemoryStore {
    this.#checkOpen();
    const present = { records: this.#records.clone(), revision: this.#revision, bytes: this.#bytes };
    return new Memory(present, { historyEvents: this.#historyEvents, ...options });
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
    return this.#carryOut([write]);
  }

  async transact(writes: readonly Write[]): Promise<readonly number[]> {
    this.#checkOpen();
    checkTransaction(writes);
    return writes.length === 0 ? [] : revisionsFrom(await this.#carryOut(writes), writes.length);
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
    if (revision < this.#past.compacted) throw compactedError(revision, this.#past.compacted);
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
      compactedRevision: this.#past.compacted,
      records: this.#records.size,
      bytes: this.#bytes + this.#past.bytes,
      flushes: this.#flushes,
      writes: this.#writes,
      flushMillis: [],
    };
  }

  async history(key: string, bounds: HistoryBounds = {}): Promise<KeyHistory> {
    this.#checkOpen();
    const newest = this.#records.get({ key });
    const newestFirst = [...(newest ? [newest] : []), ...this.#past.of(key)];
    const count = countWithin(newestFirst, bounds);
    const versions = newestFirst.slice(0, count).map(({ type, revision, value, previousRevision }) => {
      return { type, revision, value, previousRevision, time: undefined };
    });
    return { versions, more: newestFirst.length > count, compactedRevision: this.#past.compacted };
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

  /** Commits writes as one, at the end of this turn of the event loop. */
  #carryOut(writes: readonly Write[]): Promise<number> {
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
    // A watcher may write while it is called: those writes have a flush of their own.
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
    for (const [i, outcome] of outcomes.entries()) {
      if (typeof outcome === "number") pending[i]!.resolve(outcome);
      else pending[i]!.reject(outcome);
    }
    flushed?.();
  }

  /** The first `most` versions as of a revision: those that are the present ones still, and those that were. */
  #at(revision: number, prefix: string, from: string, most: number): StoreEvent[] {
    const found: StoreEvent[] = [];
    this.#records.scan({ key: from }, (record) => {
      if (!record.key.startsWith(prefix)) return false;
      if (record.revision <= revision) found.push(record);
      return found.length < most;
    });
    if (revision === this.#revision) return found;
    return [...found, ...this.#past.at(revision, prefix, from, most)].toSorted(byKey).slice(0, most);
  }

  /** Applies all writes and adds their events, or none: the revision of the first one, or why it was refused. */
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

  /** The refusal of the first write whose condition does not hold. */
  #refusalOf(writes: readonly Write[]): StoreError | undefined {
    for (const write of writes) {
      const current = this.#records.get(write)?.revision ?? 0;
      if (!holds(write, current)) return conditionError(write, current);
    }
    return undefined;
  }

  /** Puts a change in, and takes it out again where the key is not at the version that the write names: mostly it is. */
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
    this.#past.add(event, previous);
    return event;
  }

  #forget(wanted: number): void {
    let revision = wanted;
    for (const pinned of this.#pins) revision = Math.min(revision, pinned.revision);
    this.#past.forget(revision);
    this.#hub.forget(this.#past.compacted);
  }
}

const recordOf = ({ key, value, revision }: StoredRecord): StoredRecord => ({ key, value, revision });
