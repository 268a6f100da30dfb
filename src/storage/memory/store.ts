/**
 * The memory backend: for tests and for servers whose data may go when they end.
 *
 * It keeps the promises of the contract except the one about disks: nothing survives `close`. Writes of one turn of
 * the event loop are committed together, as the embedded store would do it.
 *
 * @module
 */
import * as sortedBTree from "sorted-btree";
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
import { checkWrite, compactedError, compareKeys, conditionError, futureError } from "../keys.ts";
import { WatchHub } from "../watch-hub.ts";

// The package is CommonJS: Node puts its `module.exports` under `default`, tools that know `__esModule` do not.
const { default: outer } = sortedBTree as unknown as { default: BTreeClass & { default?: BTreeClass } };
type BTreeClass = typeof sortedBTree.default.default;
const BTree: BTreeClass = outer.default ?? outer;

/** Options of the memory backend. */
export interface MemoryStoreOptions {
  /** How many changes can be read back and watched from; 10 000 unless told. */
  readonly historyEvents?: number;
}

interface Pending {
  readonly write: Write;
  readonly resolve: (revision: number) => void;
  readonly reject: (error: unknown) => void;
}

/** Opens an empty memory store. */
export function openMemoryStore(options: MemoryStoreOptions = {}): Promise<Store> {
  return Promise.resolve(new MemoryStore(options.historyEvents ?? 10_000));
}

class MemoryStore implements Store {
  readonly failed: Promise<StoreError> = new Promise(() => {});
  readonly #historyEvents: number;
  /** Versions of each key, oldest first: those that some readable revision shows. */
  readonly #keys = new BTree<string, StoreEvent[]>(undefined, compareKeys);
  /** Every change after `#compacted`; the change of revision r is at index r - #compacted - 1 + #logHead. */
  #log: StoreEvent[] = [];
  #logHead = 0;
  #compacted = 0;
  #revision = 0;
  #records = 0;
  #bytes = 0;
  #flushes = 0;
  #writes = 0;
  #pending: Pending[] = [];
  #closed = false;
  readonly #pins = new Set<{ readonly revision: number }>();
  /** Its ring is as long as the history, so that it never has to read a log. */
  readonly #hub: WatchHub;

  constructor(historyEvents: number) {
    this.#historyEvents = historyEvents;
    this.#hub = new WatchHub({
      revision: 0,
      compacted: 0,
      ringEvents: historyEvents,
      ringBytes: Infinity,
      readLog: (_, after) => Promise.reject(compactedError(after, this.#compacted)),
    });
  }

  get revision(): number {
    return this.#revision;
  }

  async write(write: Write): Promise<number> {
    this.#checkOpen();
    checkWrite(write);
    return new Promise((resolve, reject) => {
      this.#pending.push({ write, resolve, reject });
      if (this.#pending.length === 1) queueMicrotask(() => this.#flush());
    });
  }

  async get(key: string): Promise<StoredRecord | undefined> {
    this.#checkOpen();
    return recordOf(this.#keys.get(key)?.at(-1));
  }

  async range(prefix: string, options: RangeOptions = {}): Promise<RangeResult> {
    this.#checkOpen();
    const revision = options.revision ?? this.#revision;
    if (revision > this.#revision) throw futureError(revision, this.#revision);
    if (revision < this.#compacted) throw compactedError(revision, this.#compacted);
    const { start, limit = Infinity } = options;
    const from = start !== undefined && compareKeys(start, prefix) > 0 ? start : prefix;
    const records: StoredRecord[] = [];
    for (const [key, versions] of this.#keys.entries(from)) {
      if (!key.startsWith(prefix)) break;
      const record = recordOf(versions.findLast((version) => version.revision <= revision));
      if (record === undefined) continue;
      if (records.length >= limit) return { records, revision, more: true };
      records.push(record);
    }
    return { records, revision, more: false };
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
      compactedRevision: this.#compacted,
      records: this.#records,
      bytes: this.#bytes,
      flushes: this.#flushes,
      writes: this.#writes,
      flushMillis: [],
    };
  }

  async history(key: string, bounds: HistoryBounds = {}): Promise<KeyHistory> {
    this.#checkOpen();
    const newestFirst = (this.#keys.get(key) ?? []).toReversed();
    const count = countWithin(newestFirst, bounds);
    const versions = newestFirst.slice(0, count).map(({ type, revision, value, previousRevision }) => {
      return { type, revision, value, previousRevision, time: undefined };
    });
    return { versions, more: newestFirst.length > count, compactedRevision: this.#compacted };
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

  #flush(): void {
    const pending = this.#pending;
    if (pending.length === 0) return;
    this.#pending = [];
    const events: StoreEvent[] = [];
    const outcomes = pending.map(({ write }) => {
      const outcome = this.#apply(write);
      if (outcome instanceof StoreError) return outcome;
      events.push(outcome);
      return outcome.revision;
    });
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
  }

  #apply(write: Write): StoreEvent | StoreError {
    const { key, value } = write;
    const versions = this.#keys.get(key) ?? [];
    const current = recordOf(versions.at(-1))?.revision ?? 0;
    if (current !== (write.type === "create" ? 0 : write.expected) || (write.type !== "create" && current === 0)) {
      return conditionError(write, current);
    }
    this.#revision += 1;
    const type = write.type === "delete" ? "delete" : "put";
    const event: StoreEvent = { type, key, value, revision: this.#revision, previousRevision: current };
    if (versions.length === 0) this.#keys.set(key, versions);
    versions.push(event);
    this.#log.push(event);
    this.#records += write.type === "create" ? 1 : write.type === "delete" ? -1 : 0;
    this.#bytes += value.length;
    return event;
  }

  /** Drops, for each change up to `revision`, the version that it replaced, and itself when it was a delete. */
  #forget(wanted: number): void {
    let revision = wanted;
    for (const pinned of this.#pins) revision = Math.min(revision, pinned.revision);
    while (this.#compacted < revision) {
      const event = this.#log[this.#logHead]!;
      this.#logHead += 1;
      this.#compacted = event.revision;
      const versions = this.#keys.get(event.key)!;
      while (versions.length > 0 && versions[0]!.revision < event.revision) this.#dropOldest(versions);
      if (event.type === "delete") this.#dropOldest(versions);
      if (versions.length === 0) this.#keys.delete(event.key);
    }
    if (this.#logHead > 256 && this.#logHead > this.#log.length / 2) {
      this.#log = this.#log.slice(this.#logHead);
      this.#logHead = 0;
    }
    this.#hub.forget(this.#compacted);
  }

  #dropOldest(versions: StoreEvent[]): void {
    this.#bytes -= versions.shift()!.value.length;
  }
}

function recordOf(version: StoreEvent | undefined): StoredRecord | undefined {
  if (version === undefined || version.type === "delete") return undefined;
  return { key: version.key, value: version.value, revision: version.revision };
}
