/**
 * A store over another one. Its writes stay in memory, so that they can be judged and read; {@link OverlayStore.writes} then
 * returns them as one transaction of the store below.
 *
 *     below     a@1 b@2
 *     overlay   a@3 (update)  c@4 (create)  b@5 (delete)      writes: update a expected 1, create c, delete b expected 2
 * It fulfils the contract except for the parts that only a durable store needs: it has no history, and nothing survives `close`. For keys
 * that it has not written it returns the records that the store below has at the time of the read.
 *
 * @module
 */
import { StoreError } from "../contract.ts";
import type {
  Bytes,
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
import {
  checkTransaction,
  checkWrite,
  compactedError,
  compareKeys,
  conditionError,
  eventOf,
  holds,
  revisionsFrom,
} from "../keys.ts";
import { WatchHub } from "../watch-hub.ts";

/** The parts of an overlay. */
export interface OverlayParts {
  /** The store below. */
  readonly below: Store;
  /** The revision at which the overlay begins. */
  readonly revision: number;
  /** The revision of a key, 0 where it does not exist; undefined where only the store below knows. */
  readonly revisionOf: (key: string) => number | undefined;
  /** The bytes of values that it may have; a write over them fails with `tooLarge`. */
  readonly maxBytes: number;
}

/** A key that the overlay has written. */
interface Change {
  /** Its revision in the store below; 0 where it does not exist there. */
  readonly below: number;
  /** The last value; of a deleted key, the one in its event. */
  readonly value: Bytes;
  /** Its revision in the overlay; 0 where it is deleted. */
  readonly revision: number;
  readonly leaves: boolean;
}

/** A store over another one, whose writes stay in memory. */
export class OverlayStore implements Store {
  readonly failed: Promise<StoreError> = new Promise(() => {});
  readonly #parts: OverlayParts;
  readonly #hub: WatchHub;
  /** In the order of the first write of each key. */
  readonly #changes = new Map<string, Change>();
  /** The first parts of all keys. */
  readonly #firstParts = new Set<string>();
  #revision: number;
  #bytes = 0;
  #count = 0;
  #isClosed = false;

  constructor(parts: OverlayParts) {
    const { revision } = parts;
    this.#parts = parts;
    this.#revision = revision;
    this.#hub = new WatchHub({
      revision,
      compacted: revision,
      ringEvents: Infinity,
      ringBytes: Infinity,
      readLog: (_, after) => Promise.reject(compactedError(after, revision)),
    });
  }

  get revision(): number {
    return this.#revision;
  }

  /** Its writes as one transaction of the store below: one for each key, in the order in which the keys were first written. */
  writes(): readonly Write[] {
    return [...this.#changes].flatMap(([key, change]) => writeOf(key, change) ?? []);
  }

  /** Whether a key with this first part was written, as `core` of `/core/pods/default/web`. */
  hasWritten(part: string): boolean {
    return this.#firstParts.has(part);
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
    const change = this.#changes.get(key);
    return change ? recordOf(key, change) : this.#parts.below.get(key);
  }

  /** The newest records; reads at an older revision are refused. */
  async range(prefix: string, { start, limit }: RangeOptions = {}): Promise<RangeResult> {
    this.#checkOpen();
    const from = start !== undefined && compareKeys(start, prefix) > 0 ? start : prefix;
    const changed = [...this.#changes].filter(([key]) => key.startsWith(prefix) && compareKeys(key, from) >= 0);
    const below = await this.#parts.below.range(prefix, {
      ...(start === undefined ? {} : { start }),
      // Each changed key may replace a record of the store below.
      ...(limit === undefined ? {} : { limit: limit + changed.length }),
    });
    const merged = [
      ...below.records.filter(({ key }) => !this.#changes.has(key)),
      ...changed.flatMap(([key, change]) => recordOf(key, change) ?? []),
    ].toSorted((a, b) => compareKeys(a.key, b.key));
    const records = limit === undefined ? merged : merged.slice(0, limit);
    return { records, revision: this.#revision, more: below.more || records.length < merged.length };
  }

  watch(prefix: string, after: number, watcher: StoreWatcher): StoreWatch {
    this.#checkOpen();
    return this.#hub.watch(prefix, after, watcher);
  }

  /** It has no history to delete. */
  async compact(): Promise<void> {
    this.#checkOpen();
  }

  async currentRevision(): Promise<number> {
    this.#checkOpen();
    return this.#revision;
  }

  async stats(): Promise<StoreStats> {
    this.#checkOpen();
    return {
      revision: this.#revision,
      compactedRevision: this.#parts.revision,
      records: this.#changes.size,
      bytes: this.#bytes,
      flushes: this.#count,
      writes: this.#count,
      flushMillis: [],
    };
  }

  async isOutdated(key: string): Promise<boolean> {
    if (this.#changes.has(key)) return false;
    return (await this.#parts.below.isOutdated?.(key)) ?? false;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#hub.end(new StoreError("closed", "The store has been closed"));
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new StoreError("closed", "The store has been closed");
  }

  /** Applies all writes or none; returns the revision of the first, at once where no key has to be read from below. */
  #commit(writes: readonly Write[]): number | Promise<number> {
    const below = writes.map(({ key }) => this.#changes.get(key)?.below ?? this.#parts.revisionOf(key));
    return areKnown(below) ? this.#apply(writes, below) : this.#readBelow(writes, below);
  }

  async #readBelow(writes: readonly Write[], known: readonly (number | undefined)[]): Promise<number> {
    const below: number[] = [];
    for (const [i, { key }] of writes.entries()) {
      below.push(known[i] ?? (await this.#parts.below.get(key))?.revision ?? 0);
    }
    return this.#apply(writes, below);
  }

  /** @param below the revisions of the keys in the store below */
  #apply(writes: readonly Write[], below: readonly number[]): number {
    for (const [i, write] of writes.entries()) {
      const current = this.#changes.get(write.key)?.revision ?? below[i]!;
      if (!holds(write, current)) throw conditionError(write, current);
    }
    this.#checkSize(writes);
    const first = this.#revision + 1;
    const events = writes.map((write, i) => this.#put(write, below[i]!));
    this.#count += writes.length;
    this.#hub.commit(events, this.#revision);
    return first;
  }

  #checkSize(writes: readonly Write[]): void {
    const { maxBytes } = this.#parts;
    const added = writes.reduce((sum, { value }) => sum + value.length, 0);
    if (this.#bytes + added <= maxBytes) return;
    throw new StoreError("tooLarge", `Expected at most ${maxBytes} bytes of changed objects, got more`);
  }

  #put(write: Write, below: number): StoreEvent {
    const event = eventOf(write, ++this.#revision);
    const { type, key, value } = write;
    const revision = type === "delete" ? 0 : this.#revision;
    this.#changes.set(key, { below, value, revision, leaves: type === "update" && (write.leaves ?? false) });
    this.#firstParts.add(key.slice(1, key.indexOf("/", 1)));
    this.#bytes += value.length;
    return event;
  }
}

const areKnown = (revisions: readonly (number | undefined)[]): revisions is readonly number[] =>
  !revisions.includes(undefined);

const recordOf = (key: string, { value, revision }: Change): StoredRecord | undefined =>
  revision === 0 ? undefined : { key, value, revision };

/** The write of the store below that makes a change; undefined for a key that was created and deleted again. */
function writeOf(key: string, { below: expected, value, revision, leaves }: Change): Write | undefined {
  if (revision === 0) return expected === 0 ? undefined : { type: "delete", key, value, expected };
  if (expected === 0) return { type: "create", key, value };
  return { type: "update", key, value, expected, ...(leaves ? { leaves } : {}) };
}
