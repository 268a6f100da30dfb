/**
 * A store for tests of the cache: the simplest implementation of the contract, with methods that cause faults.
 * It keeps every change and finds everything by a scan.
 *
 * @module
 */
import {
  type RangeOptions,
  type RangeResult,
  type Store,
  StoreError,
  type StoredRecord,
  type StoreErrorCode,
  type StoreEvent,
  type StoreStats,
  type StoreWatch,
  type StoreWatcher,
  type Write,
} from "../../storage/contract.ts";
import { compareKeys } from "../../storage/keys.ts";

interface Watching {
  readonly prefix: string;
  readonly watcher: StoreWatcher;
  position: number;
  /** `new` until its start was checked, `behind` until it has received the stored changes. */
  state: "new" | "behind" | "live";
}

/** A change of a test: a value for a key, or undefined to delete it; watchers then get `last` if it is given. */
export type Put = readonly [key: string, value: unknown, last?: unknown];

const encode = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));

/** See the head of this file. */
export class FakeStore implements Store {
  readonly failed: Promise<StoreError> = new Promise(() => {});
  readonly #log: StoreEvent[] = [];
  readonly #newest = new Map<string, StoreEvent>();
  readonly #watches = new Set<Watching>();
  #compacted = 0;
  #revision = 0;
  #held = false;
  /** How many records range reads have returned. */
  recordsRead = 0;
  /** Called before each range read. */
  onRange: (() => void) | undefined;

  /** @param start the revision before the first change */
  constructor(start = 0) {
    this.#revision = this.#compacted = start;
  }

  get revision(): number {
    return this.#revision;
  }

  get watches(): number {
    return this.#watches.size;
  }

  /** A store that begins with the current records of this one, without their history. */
  fork(): FakeStore {
    const fork = new FakeStore(this.#revision);
    for (const [key, event] of this.#newest) {
      if (event.type === "delete") continue;
      fork.#newest.set(key, event);
      fork.#log.push(event);
    }
    return fork;
  }

  /** Commits changes together, each with its own revision; returns the last one. */
  commit(...puts: readonly Put[]): number {
    for (const put of puts) if (this.#put(put, this.#revision + 1)) this.#revision++;
    this.#deliver();
    return this.#revision;
  }

  /** Commits changes of different keys together, with one revision for all of them, as etcd does; returns it. */
  commitAsOne(...puts: readonly Put[]): number {
    const isChanged = puts.map((put) => this.#put(put, this.#revision + 1));
    if (isChanged.includes(true)) this.#revision++;
    this.#deliver();
    return this.#revision;
  }

  /** Changes are committed but not delivered, until `release`. */
  hold(): void {
    this.#held = true;
  }

  release(): void {
    this.#held = false;
    this.#deliver();
  }

  /** Ends every watch. */
  breakWatches(code: StoreErrorCode): void {
    for (const watch of this.#watches) {
      this.#watches.delete(watch);
      watch.watcher.ended(new StoreError(code, "broken by the test"));
    }
  }

  /** Notifies watchers of a revision that has no changes for them. */
  skip(): number {
    this.#revision++;
    this.#log.push({ type: "put", key: "", revision: this.#revision, value: encode(0), previousRevision: 0 });
    this.#deliver();
    return this.#revision;
  }

  async write(write: Write): Promise<number> {
    return this.commit(putOf(write));
  }

  async transact(writes: readonly Write[]): Promise<readonly number[]> {
    const revision = this.commitAsOne(...writes.map(putOf));
    return writes.map(() => revision);
  }

  async get(key: string): Promise<StoredRecord | undefined> {
    const event = this.#newest.get(key);
    return event?.type === "put" ? event : undefined;
  }

  async range(prefix: string, options: RangeOptions = {}): Promise<RangeResult> {
    this.onRange?.();
    const { start = prefix, limit = Infinity, revision = this.#revision } = options;
    this.#checkReadable(revision);
    const state = new Map<string, StoreEvent>();
    for (const event of this.#log) if (event.revision <= revision) state.set(event.key, event);
    const records = [...state.values()]
      .filter(({ key, type }) => type === "put" && key !== "" && key.startsWith(prefix) && compareKeys(key, start) >= 0)
      .toSorted((a, b) => compareKeys(a.key, b.key));
    this.recordsRead += Math.min(records.length, limit);
    return { records: records.slice(0, limit), revision, more: records.length > limit };
  }

  watch(prefix: string, after: number, watcher: StoreWatcher): StoreWatch {
    const watch: Watching = { prefix, watcher, position: after, state: "new" };
    this.#watches.add(watch);
    queueMicrotask(() => {
      watch.state = "behind";
      if (after >= this.#compacted) return this.#deliver();
      if (this.#watches.delete(watch)) watcher.ended(new StoreError("compacted", "older history has been compacted"));
    });
    return { close: () => this.#watches.delete(watch) };
  }

  async compact(revision: number): Promise<void> {
    this.#compacted = Math.max(this.#compacted, revision);
  }

  async currentRevision(): Promise<number> {
    return this.#revision;
  }

  async stats(): Promise<StoreStats> {
    const none = { bytes: 0, flushes: 0, writes: 0, flushMillis: [] };
    return { revision: this.#revision, compactedRevision: this.#compacted, records: this.#newest.size, ...none };
  }

  async close(): Promise<void> {
    this.breakWatches("closed");
  }

  #checkReadable(revision: number): void {
    if (revision < this.#compacted) throw new StoreError("compacted", "older history has been compacted");
    if (revision > this.#revision) throw new StoreError("future", "that revision has not come yet");
  }

  /** Records a change; false for the delete of a key that does not exist. */
  #put([key, value, last]: Put, revision: number): boolean {
    const before = this.#newest.get(key);
    const there = before?.type === "put" ? before : undefined;
    if (value === undefined && !there) return false;
    const event: StoreEvent = {
      type: value === undefined ? "delete" : "put",
      key,
      revision,
      value: value !== undefined ? encode(value) : last !== undefined ? encode(last) : there!.value,
      previousRevision: there?.revision ?? 0,
    };
    this.#log.push(event);
    this.#newest.set(key, event);
    return true;
  }

  #deliver(): void {
    if (this.#held) return;
    for (const watch of this.#watches) {
      if (watch.state === "new") continue;
      const from = this.#log.findLastIndex(({ revision }) => revision <= watch.position) + 1;
      const matching = this.#log.slice(from).filter(({ key }) => key !== "" && key.startsWith(watch.prefix));
      watch.position = Math.max(watch.position, this.#revision);
      // Earlier changes are delivered in parts, new ones at once.
      const part = watch.state === "behind" ? 10 : Infinity;
      watch.state = "live";
      while (matching.length > 0 && this.#watches.has(watch)) watch.watcher.events(takeRevisions(matching, part));
      if (this.#watches.has(watch)) watch.watcher.progress?.(this.#revision);
    }
  }
}

const putOf = ({ type, key, value }: Write): Put => [key, type === "delete" ? undefined : JSON.parse(String(value))];

/** Takes that many events from the front of a list, and the rest of the last revision among them. */
function takeRevisions(events: StoreEvent[], count: number): StoreEvent[] {
  const last = events.slice(0, count).at(-1)!.revision;
  return events.splice(0, events.findLastIndex(({ revision }) => revision <= last) + 1);
}
