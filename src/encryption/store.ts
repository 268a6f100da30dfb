/**
 * A store that encrypts what it is given and decrypts what it gives back, over any other store.
 *
 *     registry, cache  ->  EncryptedStore  ->  memory, sqlite, etcd
 *
 * Conditions, revisions, order and history are those of the store below. A backup is taken from the store below, and holds
 * what is stored. A value that cannot be decrypted is handed on as it is stored: whoever reads it sees that it is no object
 * (CRYPT-9), and all others are served.
 *
 * @module
 */
import {
  type Bytes,
  type HistoryBounds,
  type KeyHistory,
  type Pin,
  type RangeOptions,
  type RangeResult,
  type Store,
  type StoredRecord,
  type StoreEvent,
  StoreError,
  type StoreRoom,
  type StoreStats,
  type StoreWatch,
  type StoreWatcher,
  type Write,
} from "../storage/contract.ts";
import { Passage } from "./passage.ts";
import type { Rules } from "./rules.ts";
import { CipherError, isEncrypted } from "./transformer.ts";
import type { Loop } from "../util/loop.ts";

/** See the head of this file. */
export class EncryptedStore implements Store {
  readonly failed: Promise<StoreError>;
  readonly history: ((key: string, bounds?: HistoryBounds) => Promise<KeyHistory>) | undefined;
  readonly pin: (() => Promise<Pin>) | undefined;
  readonly #store: Store;
  /** The values of our own writes, whose events come back with the very bytes that were given. */
  readonly #own = new WeakMap<Bytes, Bytes>();
  readonly #passages = new Set<Passage>();
  readonly #loop: Loop;
  #rules: Rules;

  constructor(store: Store, rules: Rules, loop: Loop) {
    this.#store = store;
    this.#loop = loop;
    this.#rules = rules;
    this.failed = store.failed;
    this.history = store.history && ((key, bounds) => this.#history(key, bounds));
    this.pin = store.pin && (() => store.pin!());
  }

  get revision(): number {
    return this.#store.revision;
  }

  get isShared(): boolean {
    return this.#store.isShared === true;
  }

  get room(): StoreRoom | undefined {
    return this.#store.room;
  }

  /** Reads and writes by other rules from now on. */
  use(rules: Rules): void {
    this.#rules = rules;
  }

  async write(write: Write): Promise<number> {
    return this.#delivered(this.#store.write(this.#sealed(write)));
  }

  async transact(writes: readonly Write[]): Promise<readonly number[]> {
    return this.#delivered(this.#store.transact(writes.map((write) => this.#sealed(write))));
  }

  async get(key: string): Promise<StoredRecord | undefined> {
    const record = await this.#store.get(key);
    return record && { ...record, value: await this.#opened(record.value, key) };
  }

  async range(prefix: string, options?: RangeOptions): Promise<RangeResult> {
    const result = await this.#store.range(prefix, options);
    return { ...result, records: await this.#openAll(result.records, ({ key }) => key) };
  }

  watch(prefix: string, after: number, watcher: StoreWatcher): StoreWatch {
    const passage = new Passage(watcher, (events) => this.#openEvents(events));
    this.#passages.add(passage);
    const leave = (): void => void this.#passages.delete(passage);
    const watch = this.#store.watch(prefix, after, {
      events: (batch) => passage.events(batch),
      progress: (revision) => passage.progress(revision),
      ended: (error) => {
        leave();
        passage.ended(error);
      },
    });
    return {
      close: () => {
        leave();
        passage.close();
        watch.close();
      },
    };
  }

  async isOutdated(key: string): Promise<boolean> {
    const chain = this.#rules.of(key);
    const record = chain && (await this.#store.get(key));
    return record !== undefined && chain!.isOutdated(record.value);
  }

  compact(revision: number): Promise<void> {
    return this.#store.compact(revision);
  }

  currentRevision(): Promise<number> {
    return this.#store.currentRevision();
  }

  stats(): Promise<StoreStats> {
    return this.#store.stats();
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  /** Resolves to what a write of the store below resolves to, when every watcher has its events. */
  async #delivered<T>(written: Promise<T>): Promise<T> {
    const result = await written;
    // A watcher that has to ask a plugin may not have its events yet.
    for (const passage of this.#passages) if (passage.pending) await passage.pending;
    return result;
  }

  /** A write as the store below is given it; what is encrypted already, because it could not be read, stays as it is. */
  #sealed(write: Write): Write {
    const chain = this.#rules.of(write.key);
    if (chain === undefined || isEncrypted(write.value)) return write;
    let value: Bytes;
    try {
      value = chain.encrypt(write.value, write.key);
    } catch (error) {
      const message = `Expected ${write.key} to be encrypted: ${(error as Error).message}`;
      throw new StoreError("notEncrypted", message, { key: write.key, cause: error });
    }
    this.#own.set(value, write.value);
    return { ...write, value };
  }

  #opened(stored: Bytes, key: string): Bytes | Promise<Bytes> {
    const chain = this.#rules.of(key);
    if (chain === undefined) return stored;
    const own = this.#own.get(stored);
    if (own !== undefined) return own;
    try {
      const plain = chain.decrypt(stored, key);
      return plain instanceof Promise ? plain.catch((error: unknown) => asStored(stored, error)) : plain;
    } catch (error) {
      return asStored(stored, error);
    }
  }

  /** Records with their values, made in steps: others have their turn between them. */
  async #openAll<T extends { readonly value: Bytes }>(
    records: readonly T[],
    keyOf: (record: T) => string,
  ): Promise<T[]> {
    const limit = this.#loop.slice();
    const opened: T[] = [];
    for (const record of records) {
      const value = this.#opened(record.value, keyOf(record));
      opened.push({ ...record, value: value instanceof Promise ? await value : value });
      const pause = limit.pause();
      if (pause) await pause;
    }
    return opened;
  }

  /** Events with their values: at once where nobody must be asked and it is not much. */
  #openEvents(events: readonly StoreEvent[]): readonly StoreEvent[] | Promise<readonly StoreEvent[]> {
    const limit = this.#loop.slice();
    const opened: StoreEvent[] = [];
    for (const event of events) {
      const value = this.#opened(event.value, event.key);
      if (value instanceof Promise || limit.isOver) return this.#openAll(events, ({ key }) => key);
      opened.push(value === event.value ? event : { ...event, value });
    }
    return opened;
  }

  async #history(key: string, bounds?: HistoryBounds): Promise<KeyHistory> {
    const found = await this.#store.history!(key, bounds);
    return { ...found, versions: await this.#openAll(found.versions, () => key) };
  }
}

/** What cannot be decrypted is handed on as it is stored; every other failure is one. */
function asStored(stored: Bytes, error: unknown): Bytes {
  if (error instanceof CipherError) return stored;
  throw error;
}
