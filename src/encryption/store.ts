/**
 * A store over another one that encrypts values on writes and decrypts them on reads.
 *
 *     registry, cache  ->  EncryptedStore  ->  memory, sqlite, etcd
 *
 * Conditions, revisions, order and history are those of the store below. A backup is made from the store below and contains
 * encrypted values. A value that cannot be decrypted is returned as it is stored: the reader sees that it is no object
 * (CRYPT-9), and all other values are served.
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
  type StoreMoments,
  type StoreSpace,
  type StoreStats,
  type StoreWatch,
  type StoreWatcher,
  type Write,
} from "../storage/contract.ts";
import { WatchQueue } from "./watch-queue.ts";
import type { Rules } from "./rules.ts";
import { CipherError, isEncrypted } from "./transformer.ts";
import type { Loop } from "../util/loop.ts";
import { messageOf } from "../util/error.ts";

/** See the head of this file. */
export class EncryptedStore implements Store {
  readonly failed: Promise<StoreError>;
  readonly history: ((key: string, bounds?: HistoryBounds) => Promise<KeyHistory>) | undefined;
  readonly moments: ((times: readonly number[]) => Promise<StoreMoments>) | undefined;
  readonly pin: (() => Promise<Pin>) | undefined;
  readonly #store: Store;
  readonly #loop: Loop;
  /** The values of our own writes, by their encrypted bytes, which the events contain. */
  readonly #own = new WeakMap<Bytes, Bytes>();
  readonly #queues = new Set<WatchQueue>();
  #rules: Rules;

  constructor(store: Store, rules: Rules, loop: Loop) {
    this.#store = store;
    this.#loop = loop;
    this.#rules = rules;
    this.failed = store.failed;
    this.history = store.history && ((key, bounds) => this.#history(key, bounds));
    this.moments = store.moments && ((times) => store.moments!(times));
    this.pin = store.pin && (() => store.pin!());
  }

  get revision(): number {
    return this.#store.revision;
  }

  get isShared(): boolean {
    return this.#store.isShared === true;
  }

  get space(): StoreSpace | undefined {
    return this.#store.space;
  }

  /** Replaces the rules. */
  use(rules: Rules): void {
    this.#rules = rules;
  }

  async write(write: Write): Promise<number> {
    return this.#delivered(this.#store.write(this.#encrypted(write)));
  }

  async transact(writes: readonly Write[]): Promise<readonly number[]> {
    return this.#delivered(this.#store.transact(writes.map((write) => this.#encrypted(write))));
  }

  async get(key: string): Promise<StoredRecord | undefined> {
    const record = await this.#store.get(key);
    return record && { ...record, value: await this.#decrypted(record.value, key) };
  }

  async range(prefix: string, options?: RangeOptions): Promise<RangeResult> {
    const result = await this.#store.range(prefix, options);
    return { ...result, records: await this.#decryptAll(result.records, ({ key }) => key) };
  }

  watch(prefix: string, after: number, watcher: StoreWatcher): StoreWatch {
    const queue = new WatchQueue(watcher, (events) => this.#decryptEvents(events));
    this.#queues.add(queue);
    const watch = this.#store.watch(prefix, after, {
      events: (batch) => queue.events(batch),
      progress: (revision) => queue.progress(revision),
      ended: (error) => {
        this.#queues.delete(queue);
        queue.ended(error);
      },
    });
    return {
      close: () => {
        this.#queues.delete(queue);
        queue.close();
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

  /** Resolves to the result of a write when every watcher has its events. */
  async #delivered<T>(written: Promise<T>): Promise<T> {
    const result = await written;
    // A watcher's events may wait for a plugin.
    for (const queue of this.#queues) if (queue.pending) await queue.pending;
    return result;
  }

  /** The write for the store below; a value that is encrypted, because it could not be read, stays as it is. */
  #encrypted(write: Write): Write {
    const chain = this.#rules.of(write.key);
    if (chain === undefined || isEncrypted(write.value)) return write;
    let value: Bytes;
    try {
      value = chain.encrypt(write.value, write.key);
    } catch (error) {
      const message = `Expected ${write.key} to be encrypted: ${messageOf(error)}`;
      throw new StoreError("notEncrypted", message, { key: write.key, cause: error });
    }
    this.#own.set(value, write.value);
    return { ...write, value };
  }

  #decrypted(stored: Bytes, key: string): Bytes | Promise<Bytes> {
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

  /** Decrypts the values of records, in slices of the event loop. */
  async #decryptAll<T extends { readonly value: Bytes }>(
    records: readonly T[],
    keyOf: (record: T) => string,
  ): Promise<T[]> {
    const limit = this.#loop.slice();
    const decrypted: T[] = [];
    for (const record of records) {
      const value = this.#decrypted(record.value, keyOf(record));
      decrypted.push({ ...record, value: value instanceof Promise ? await value : value });
      const pause = limit.pause();
      if (pause) await pause;
    }
    return decrypted;
  }

  /** Decrypts the values of events: at once unless a plugin has to be called or it takes long. */
  #decryptEvents(events: readonly StoreEvent[]): readonly StoreEvent[] | Promise<readonly StoreEvent[]> {
    const limit = this.#loop.slice();
    const decrypted: StoreEvent[] = [];
    for (const event of events) {
      const value = this.#decrypted(event.value, event.key);
      if (value instanceof Promise || limit.isOver) return this.#decryptAll(events, ({ key }) => key);
      decrypted.push(value === event.value ? event : { ...event, value });
    }
    return decrypted;
  }

  async #history(key: string, bounds?: HistoryBounds): Promise<KeyHistory> {
    const found = await this.#store.history!(key, bounds);
    return { ...found, versions: await this.#decryptAll(found.versions, () => key) };
  }
}

/** The stored value after a CipherError; throws every other error. */
function asStored(stored: Bytes, error: unknown): Bytes {
  if (error instanceof CipherError) return stored;
  throw error;
}
