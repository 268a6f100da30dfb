import type {
  HistoryBounds,
  KeyHistory,
  Pin,
  RangeOptions,
  RangeResult,
  StoredRecord,
  StoreStats,
  StoreWatch,
  StoreWatcher,
  Write,
} from "../storage/contract.ts";
import { StoreError } from "../storage/contract.ts";
import { FAULT_REASON } from "./fault.ts";
import type { MemoryStore, MemoryStoreOptions, RememberedRecord } from "../storage/memory/store.ts";

/** Told of writes before they are stored; the result is called when they are, or are not. */
export type NoteWrites = (writes: readonly Write[]) => (() => void) | undefined;

/** A store that refuses writes while `refuses` returns true, as a full disk does; its forks do so, too. */
export class RefusableStore implements MemoryStore {
  readonly #store: MemoryStore;
  readonly #refuses: () => boolean;
  readonly #note: NoteWrites;

  constructor(store: MemoryStore, refuses: () => boolean, note: NoteWrites) {
    this.#store = store;
    this.#refuses = refuses;
    this.#note = note;
  }

  get revision(): number {
    return this.#store.revision;
  }

  get failed(): Promise<StoreError> {
    return this.#store.failed;
  }

  async write(write: Write): Promise<number> {
    this.#checkSpace([write]);
    return this.#noted([write], () => this.#store.write(write));
  }

  async transact(writes: readonly Write[]): Promise<readonly number[]> {
    this.#checkSpace(writes);
    return this.#noted(writes, () => this.#store.transact(writes));
  }

  fork(options?: MemoryStoreOptions): RefusableStore {
    return new RefusableStore(this.#store.fork(options), this.#refuses, this.#note);
  }

  records = (): readonly RememberedRecord[] => this.#store.records();
  get = (key: string): Promise<StoredRecord | undefined> => this.#store.get(key);
  range = (prefix: string, options?: RangeOptions): Promise<RangeResult> => this.#store.range(prefix, options);
  watch = (prefix: string, after: number, watcher: StoreWatcher): StoreWatch =>
    this.#store.watch(prefix, after, watcher);
  compact = (revision: number): Promise<void> => this.#store.compact(revision);
  currentRevision = (): Promise<number> => this.#store.currentRevision();
  stats = (): Promise<StoreStats> => this.#store.stats();
  history = (key: string, bounds?: HistoryBounds): Promise<KeyHistory> => this.#store.history!(key, bounds);
  pin = (): Promise<Pin> => this.#store.pin!();
  close = (): Promise<void> => this.#store.close();

  #noted<T>(writes: readonly Write[], store: () => Promise<T>): Promise<T> {
    const done = this.#note(writes);
    return done ? store().finally(done) : store();
  }

  #checkSpace([first]: readonly Write[]): void {
    if (!first || !this.#refuses()) return;
    throw new StoreError("full", `The store has no space: ${FAULT_REASON}`, { key: first.key });
  }
}
