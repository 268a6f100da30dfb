/**
 * The etcd backend: several servers on one cluster, which orders all writes.
 *
 * Our revisions are etcd's. A write or a transaction is one conditional transaction of etcd, and all of its writes have one
 * revision; its promise resolves when its events are delivered to the watchers, so that the cache contains what a caller has
 * written. A hub feeds all watchers of this process. It gets events from one watch of etcd ({@link Feed}), and those of our own
 * writes from the responses, where no earlier revision is missing ({@link AcknowledgedEvents}); older events are read from
 * etcd's log ({@link LogReader}).
 *
 *     write() -> transaction -> etcd -> response, or watch -> hub -> watchers -> the promise of the write
 *
 * It keeps no state but the newest changes: a server that dies loses no data.
 *
 * @module
 */
import { type Clock, type Random, type Timer, sleep } from "../../util/clock.ts";
import { type Log, silentLog } from "../../util/log.ts";
import { ShortLivedMap } from "../../util/short-lived.ts";
import { type CurrentSpan, NO_SPAN, type Span } from "../../util/span.ts";
import { StoreError } from "../contract.ts";
import type {
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
  conditionError,
  eventOf,
  futureError,
  holds,
  namesOf,
} from "../keys.ts";
import { WatchHub } from "../watch-hub.ts";
import { AcknowledgedEvents } from "./acknowledged-events.ts";
import { type CallObserver, EtcdClient, type EtcdOperation } from "./client.ts";
import { type SentWrite, isCompacted, isFuture, isTooLarge, readError, writeError } from "./errors.ts";
import { Feed } from "./feed.ts";
import { FORMAT, checkFormat } from "./format.ts";
import type { Credentials } from "../../grpc/session.ts";
import { DEFAULT_PREFIX, Layout } from "./layout.ts";
import {
  CALLS,
  type ChangeResponse,
  type ConditionalChange,
  type RangeResponse,
  type RangeQuery,
  changeRequest,
  compactRequest,
  rangeRequest,
  readChange,
  readRange,
  readStatus,
  statusRequest,
} from "./messages.ts";
import { LogReader } from "./log-reader.ts";
import { RevisionWaiters } from "./revision-waiters.ts";

/** Options of the etcd backend. */
export interface EtcdStoreOptions {
  /** `https://host:2379` of some members of one cluster. */
  readonly endpoints: readonly string[];
  /** Called before each connection; none by default. */
  readonly credentials?: () => Credentials;
  /** The prefix of all keys; {@link DEFAULT_PREFIX} by default. Servers that share data share the prefix. */
  readonly prefix?: string;
  /** The owner of the data; a store of another owner is refused. */
  readonly owner?: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log?: Log;
  /** The span of which a call of etcd is a part; none by default. */
  readonly currentSpan?: CurrentSpan | undefined;
  /** Observes the calls of reads and writes; none by default. */
  readonly onCall?: CallObserver | undefined;
}

/** Records in one response: with values of usual size a megabyte, and never more than etcd can send. */
const PAGE = 500;
/** Values that are read concurrently to compare them with the last values of deletes. */
const MAX_CONCURRENT_READS = 16;
/** Recent changes in memory, for watchers that start a little late. */
const RING_EVENTS = 4096;
const RING_BYTES = 8 << 20;
/** How long a write may wait for its event, while none comes at all, before the watch is restarted. */
const FEED_TIMEOUT_MS = 3000;
/** How long `close` waits for the events of writes that are done. */
const CLOSE_TIMEOUT_MS = 2000;
const FLUSH_SAMPLES = 1000;

/**
 * Opens the store on a cluster.
 *
 * @throws StoreError `unavailable` when no member responds, `failed` when the data below the prefix has a newer format or
 *   another owner
 */
export async function openEtcdStore(options: EtcdStoreOptions): Promise<Store> {
  const store = new EtcdStore(options);
  try {
    await store.open(options.owner);
  } catch (error) {
    await store.close();
    throw error;
  }
  return store;
}

class EtcdStore implements Store {
  readonly isShared = true;
  readonly failed: Promise<StoreError>;
  readonly #clock: Clock;
  readonly #currentSpan: CurrentSpan;
  readonly #layout: Layout;
  readonly #client: EtcdClient;
  readonly #feed: Feed;
  readonly #log: LogReader;
  /** Keys with a running transaction, and the transactions that wait for each, in the order of their calls. */
  readonly #keys = new ShortLivedMap<string, Transaction[]>();
  readonly #acknowledged = new AcknowledgedEvents();
  readonly #waiters = new RevisionWaiters();
  #hub: WatchHub;
  #end: StoreError | undefined;
  #closing: Promise<void> | undefined;
  #watchdog: Timer | undefined;
  /** The running read of the newest revision, and the next one. */
  #revisionRead: Promise<number> | undefined;
  #nextRevisionRead: Promise<number> | undefined;
  /** When the feed delivered something or was restarted. */
  #fedAt = 0;
  /** The number of running transactions, and the callback when there are none. */
  #writing = 0;
  #whenWritten: (() => void) | undefined;
  #isCommitScheduled = false;
  #writes = 0;
  #transactions = 0;
  #writeMillis: number[] = [];

  constructor(options: EtcdStoreOptions) {
    const { endpoints, credentials, prefix, clock, random, log = silentLog, currentSpan = NO_SPAN, onCall } = options;
    this.#clock = clock;
    this.#currentSpan = currentSpan;
    this.#layout = new Layout(prefix ?? DEFAULT_PREFIX);
    this.#hub = this.#makeHub(0);
    this.#client = new EtcdClient({
      endpoints,
      credentials: credentials ?? (() => ({})),
      clock,
      random,
      log,
      probe: this.#layout.format,
      floor: () => this.#hub.revision,
      onRevision: (revision) => this.#feed.awaitRevision(revision),
      currentSpan,
      onCall,
    });
    this.#log = new LogReader(this.#client, this.#layout, clock);
    const committedRevision = (): number => {
      this.#commitAcknowledged();
      return this.#hub.revision;
    };
    this.#feed = new Feed(
      { client: this.#client, layout: this.#layout, log },
      { clock, random },
      {
        get revision() {
          return committedRevision();
        },
        commit: (events, through) => {
          this.#fedAt = this.#clock.steady();
          this.#acknowledged.forget(through);
          this.#commit(events, through);
          this.#commitAcknowledged();
        },
        lost: (error) => this.#restart(error),
      },
    );
    this.failed = this.#client.failed.then((error) => {
      this.#end ??= error;
      this.#hub.end(error);
      this.#waiters.notify(Infinity);
      return error;
    });
  }

  /** Checks or writes the owner of the data, then starts the feed. */
  async open(owner: string | undefined): Promise<void> {
    await this.#claim(owner);
    this.#hub = this.#makeHub(await this.#readRevision());
    void this.#feed.run();
    this.#startWatchdog();
  }

  get revision(): number {
    return this.#hub.revision;
  }

  write(write: Write): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#checkOpen();
      checkWrite(write);
      this.#queue(new Transaction([write], resolve, reject, this.#currentSpan()));
    });
  }

  async transact(writes: readonly Write[]): Promise<readonly number[]> {
    this.#checkOpen();
    checkTransaction(writes);
    if (writes.length === 0) return [];
    const revision = await new Promise<number>((resolve, reject) => {
      this.#queue(new Transaction(writes, resolve, reject, this.#currentSpan()));
    });
    return writes.map(() => revision);
  }

  async get(key: string): Promise<StoredRecord | undefined> {
    this.#checkOpen();
    const { records } = await this.#range({ key: this.#layout.key(key) }, key);
    return records[0] && this.#layout.record(records[0]);
  }

  async range(prefix: string, { start, limit = Infinity, revision }: RangeOptions = {}): Promise<RangeResult> {
    this.#checkOpen();
    const records: StoredRecord[] = [];
    const range = this.#layout.range(prefix, start);
    let { key } = range;
    let at = revision;
    for (;;) {
      const size = Math.min(PAGE, limit - records.length);
      const page = await this.#page({ key, end: range.end, limit: size }, at, prefix);
      for (const record of page.records) records.push(this.#layout.record(record));
      at ??= page.header.revision;
      const last = page.records.at(-1);
      if (!page.more || !last || records.length >= limit) return { records, revision: at, more: page.more };
      key = Buffer.concat([last.key, Buffer.of(0)]);
    }
  }

  watch(prefix: string, after: number, watcher: StoreWatcher): StoreWatch {
    this.#checkOpen();
    if (after <= this.#hub.revision) return this.#hub.watch(prefix, after, watcher);
    // Another server may have written it: only etcd knows whether it is a future revision.
    let closed = false;
    let watch: StoreWatch | undefined;
    const join = async (): Promise<void> => {
      const newest = await this.currentRevision();
      if (after > newest) throw futureError(after, newest);
      await this.#shown(after);
      this.#checkOpen();
      if (!closed) watch = this.#hub.watch(prefix, after, watcher);
    };
    join().catch((error: unknown) => {
      if (!closed) watcher.ended(readError("a watch", error));
    });
    return {
      close: () => {
        closed = true;
        watch?.close();
      },
    };
  }

  async compact(revision: number): Promise<void> {
    this.#checkOpen();
    if (revision <= this.#hub.compacted) return;
    try {
      await this.#client.read(CALLS.compact, compactRequest(revision), "compact");
    } catch (error) {
      this.#checkOpen();
      if (isFuture(error)) throw futureError(revision, this.revision);
      if (isCompacted(error)) return;
      throw readError("The history", error);
    }
    this.#hub.forget(revision);
  }

  /** A call during a running read gets the result of the next one, since the running one may be older. */
  currentRevision(): Promise<number> {
    if (this.#end) return Promise.reject(this.#end);
    if (this.#revisionRead === undefined) return this.#startRevisionRead();
    return (this.#nextRevisionRead ??= this.#revisionRead
      .catch(() => {})
      .then(() => {
        this.#nextRevisionRead = undefined;
        return this.#startRevisionRead();
      }));
  }

  async stats(): Promise<StoreStats> {
    this.#checkOpen();
    const range = this.#layout.range("");
    const [{ count }, status] = await Promise.all([
      this.#range({ ...range, countOnly: true }, "the number of records"),
      this.#client.read(CALLS.status, statusRequest()).then(readStatus, (error: unknown) => {
        throw readError("The status", error);
      }),
    ]);
    const flushMillis = this.#writeMillis;
    this.#writeMillis = [];
    return {
      revision: this.revision,
      compactedRevision: await this.#findCompacted(),
      records: count,
      bytes: status.bytes,
      flushes: this.#transactions,
      writes: this.#writes,
      flushMillis,
    };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const error = new StoreError("closed", "The store has been closed");
    this.#end ??= error;
    const timer = this.#clock.after(CLOSE_TIMEOUT_MS, () => this.#waiters.notify(Infinity));
    if (this.#writing > 0) {
      await new Promise<void>((resolve) => {
        this.#whenWritten = resolve;
      });
    }
    timer.cancel();
    this.#watchdog?.cancel();
    this.#feed.stop();
    this.#client.close();
    this.#hub.end(error);
    this.#waiters.notify(Infinity);
  }

  #checkOpen(): void {
    if (this.#end !== undefined) throw this.#end;
  }

  // Writes

  /** Sends a transaction, after those that wait for or hold one of its keys. */
  #queue(one: Transaction): void {
    this.#writing++;
    for (const { key } of one.writes) {
      const waiting = this.#keys.get(key);
      if (!waiting) {
        this.#keys.set(key, []);
        continue;
      }
      waiting.push(one);
      one.waitsFor++;
    }
    if (one.waitsFor === 0) this.#begin(one);
  }

  /** Sends a transaction, which holds all of its keys. */
  #begin(one: Transaction): void {
    one.start = this.#clock.steady();
    const changes = one.writes.map((write) => this.#changeOf(write));
    const done = (response: ChangeResponse): void => this.#responded(one, response);
    const failed = (error: unknown): void => this.#failed(one, error);
    const send = (): void => {
      if (one.writes.some(({ type }) => type === "delete")) void this.#sendDeletes(one, changes).then(done, failed);
      else
        this.#client.send(CALLS.txn, one.request(changes), one.operation, (bytes) => done(readChange(bytes)), failed);
    };
    // It may begin after another one, in the context of that.
    if (one.span) one.span.run(send);
    else send();
  }

  #changeOf(write: Write): ConditionalChange {
    return {
      key: this.#layout.key(write.key),
      expected: write.type === "create" ? 0 : write.expected > 0 ? write.expected : undefined,
      value: write.type === "delete" ? undefined : write.value,
    };
  }

  /** Handles the response to a transaction. */
  #responded(one: Transaction, { succeeded, revision, found }: ChangeResponse): void {
    const { writes, start } = one;
    if (!succeeded) {
      const refused = writes.findIndex((write, i) => !holds(write, found[i] ?? 0));
      return this.#failed(one, conditionError(writes[refused]!, found[refused] ?? 0));
    }
    const now = this.#clock.steady();
    this.#count(now - start, writes.length);
    this.#next(one);
    if (revision > this.#hub.revision) {
      this.#acknowledged.add(
        revision,
        writes.map((write) => eventOf(write, revision)),
      );
      if (!this.#isCommitScheduled) {
        // Together with other responses of the same moment.
        this.#isCommitScheduled = true;
        queueMicrotask(() => this.#commitAcknowledged());
      }
      this.#waiters.add(revision, now, (shown) => this.#written(one, shown));
    } else this.#written(one, revision);
  }

  #failed(one: Transaction, error: unknown): void {
    this.#next(one);
    this.#ended();
    one.reject(writeError(one, error));
  }

  #written(one: Transaction, revision: number): void {
    this.#ended();
    one.resolve(revision);
  }

  #ended(): void {
    if (--this.#writing === 0) this.#whenWritten?.();
  }

  /** Releases the keys of a transaction, and sends those that waited for no other key. */
  #next({ writes }: Transaction): void {
    for (const { key } of writes) {
      const next = this.#keys.get(key)?.shift();
      if (!next) this.#keys.delete(key);
      else if (--next.waitsFor === 0) this.#begin(next);
    }
  }

  /** Delivers acknowledged events, as far as no earlier revision is missing. */
  #commitAcknowledged(): void {
    this.#isCommitScheduled = false;
    const events = this.#acknowledged.takeAfter(this.#hub.revision);
    const last = events.at(-1);
    if (last) this.#commit(events, last.revision);
  }

  #commit(events: readonly StoreEvent[], through: number): void {
    this.#hub.commit(events, through);
    this.#waiters.notify(through);
  }

  async #send(frame: Buffer, operation: EtcdOperation): Promise<ChangeResponse> {
    return readChange(await this.#client.write(CALLS.txn, frame, operation));
  }

  /**
   * The event of a delete shows the stored value, which etcd sends to every server. Another last value is written to a key of
   * its own, at the same revision.
   */
  async #sendDeletes(one: Transaction, changes: readonly ConditionalChange[]): Promise<ChangeResponse> {
    const complete = await this.#withLastValues(one.writes, changes);
    try {
      return await this.#send(one.request(complete), one.operation);
    } catch (error) {
      // A value that could be stored can be deleted, even where the request has no space for another last value.
      if (changes.length > 1 || !isTooLarge(error)) throw error;
      return this.#send(one.request(changes), one.operation);
    }
  }

  /** Adds the last value to each delete whose last value differs from the stored one. */
  async #withLastValues(writes: readonly Write[], changes: readonly ConditionalChange[]): Promise<ConditionalChange[]> {
    const complete = [...changes];
    const deletes = [...writes.entries()].filter(([, { type }]) => type === "delete");
    let others = 0;
    for (let at = 0; at < deletes.length; at += MAX_CONCURRENT_READS) {
      const some = deletes.slice(at, at + MAX_CONCURRENT_READS);
      const shown = await Promise.all(some.map(([i, { value }]) => this.#isStored(changes[i]!, value)));
      for (const [j, [i, { value }]] of some.entries()) {
        if (shown[j]) continue;
        complete[i] = { ...changes[i]!, extra: { key: this.#layout.lastValue(others++), value } };
      }
    }
    return complete;
  }

  /** Whether this is the stored value of a key. */
  async #isStored({ key, expected }: ConditionalChange, value: Uint8Array): Promise<boolean> {
    const { records } = await this.#range({ key, serializable: true }, "What a delete shows");
    const [stored] = records;
    return stored !== undefined && stored.modRevision === expected && Buffer.compare(stored.value, value) === 0;
  }

  #count(millis: number, writes: number): void {
    this.#transactions += 1;
    this.#writes += writes;
    this.#writeMillis.push(millis);
    if (this.#writeMillis.length > 2 * FLUSH_SAMPLES) this.#writeMillis = this.#writeMillis.slice(-FLUSH_SAMPLES);
  }

  /** Resolves when everything up to `revision` was delivered to the watchers. */
  async #shown(revision: number): Promise<void> {
    if (revision <= this.#hub.revision) return;
    await new Promise((resolve) => {
      this.#waiters.add(revision, this.#clock.steady(), resolve);
    });
  }

  /** Restarts the feed when writes wait for their events although the connection seems to work. */
  #startWatchdog(): void {
    this.#watchdog = this.#clock.after(1000, () => {
      const now = this.#clock.steady();
      const { oldest = now } = this.#waiters;
      if (now - Math.max(oldest, this.#fedAt) > FEED_TIMEOUT_MS) {
        this.#fedAt = now;
        this.#feed.restart("it does not deliver what has been written");
      }
      if (this.#end === undefined || this.#end.code === "closed") this.#startWatchdog();
    });
  }

  // Reads

  #startRevisionRead(): Promise<number> {
    const read = this.#readRevision().then((revision) => {
      this.#feed.awaitRevision(revision);
      return revision;
    });
    this.#revisionRead = read;
    const done = (): void => {
      if (this.#revisionRead === read) this.#revisionRead = undefined;
    };
    read.then(done, done);
    return read;
  }

  async #readRevision(): Promise<number> {
    const { header } = await this.#range({ key: this.#layout.format, keysOnly: true }, "The revision");
    return header.revision;
  }

  async #range(query: RangeQuery, what: string): Promise<RangeResponse> {
    try {
      return readRange(await this.#client.read(CALLS.range, rangeRequest(query), operationOf(query)));
    } catch (error) {
      this.#checkOpen();
      throw readError(what, error);
    }
  }

  /** Reads a page at a revision, from any member that has it. */
  async #page(query: RangeQuery, revision: number | undefined, what: string): Promise<RangeResponse> {
    if (revision === undefined) return this.#range(query, what);
    const frame = (serializable: boolean): Buffer => rangeRequest({ ...query, revision, serializable });
    try {
      const response = this.#client.read(CALLS.range, frame(true), operationOf(query));
      return readRange(
        await response.catch((error: unknown) => {
          if (!isFuture(error)) throw error;
          return this.#client.read(CALLS.range, frame(false), operationOf(query));
        }),
      );
    } catch (error) {
      this.#checkOpen();
      if (isCompacted(error)) throw compactedError(revision, Math.max(revision + 1, this.#hub.compacted));
      if (isFuture(error)) throw futureError(revision, this.revision);
      throw readError(what, error);
    }
  }

  /** Searches the first readable revision: etcd does not report where its history begins. */
  async #findCompacted(): Promise<number> {
    const known = this.#hub.compacted;
    const readable = async (revision: number): Promise<boolean> => {
      const query = { key: this.#layout.format, keysOnly: true };
      return this.#page(query, revision, "The history").then(
        () => true,
        (error: unknown) => {
          if (error instanceof StoreError && error.code === "compacted") return false;
          throw error;
        },
      );
    };
    if (await readable(Math.max(1, known))) return known;
    let [low, high] = [Math.max(1, known), this.revision];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (await readable(middle)) high = middle;
      else low = middle;
    }
    this.#hub.forget(high);
    return high;
  }

  // Following

  #makeHub(revision: number): WatchHub {
    return new WatchHub({
      revision,
      compacted: 0,
      ringEvents: RING_EVENTS,
      ringBytes: RING_BYTES,
      readLog: (prefix, after) => this.#log.read(prefix, after, this.#hub.revision),
    });
  }

  /** Replaces the hub by one at the newest revision, after a gap: its watchers end. */
  async #restart(error: StoreError): Promise<void> {
    const revision = await this.#readRevision();
    const before = this.#hub;
    this.#hub = this.#makeHub(revision);
    this.#hub.forget(error.revision ?? 0);
    this.#acknowledged.forget(revision);
    before.end(error);
    this.#waiters.notify(revision);
  }

  /** Reads the owner of the data, and writes it where there is none. */
  async #claim(owner: string | undefined): Promise<void> {
    const key = this.#layout.format;
    const value = Buffer.from(JSON.stringify({ format: FORMAT, ...(owner === undefined ? {} : { owner }) }));
    const [found] = (await this.#range({ key }, "The format")).records;
    if (found) return checkFormat(Buffer.from(found.value).toString(), owner);
    const frame = changeRequest([{ key, expected: 0, value }]);
    try {
      const { succeeded } = await this.#send(frame, "create");
      if (succeeded) return;
    } catch (error) {
      const name = String(key);
      const failure = writeError({ name, key: name, operations: 1, bytes: frame.length }, error);
      if (failure.code !== "unknown") throw failure;
    }
    // Another server was first, or the outcome is unknown: read again.
    await sleep(this.#clock, 100);
    return this.#claim(owner);
  }
}

/** Writes that are sent to etcd in one transaction. */
class Transaction implements SentWrite {
  readonly writes: readonly Write[];
  readonly resolve: (revision: number) => void;
  readonly reject: (error: StoreError) => void;
  /** The span of the request that sends it. */
  readonly span: Span | undefined;
  /** Keys for which it waits. */
  waitsFor = 0;
  /** When it was sent, on the steady clock. */
  start = 0;
  operations = 0;
  bytes = 0;

  constructor(
    writes: readonly Write[],
    resolve: (revision: number) => void,
    reject: (error: StoreError) => void,
    span: Span | undefined,
  ) {
    this.span = span;
    this.writes = writes;
    this.resolve = resolve;
    this.reject = reject;
  }

  get operation(): EtcdOperation {
    const [first, second] = this.writes;
    return first && !second ? first.type : "transaction";
  }

  get key(): string {
    return this.writes[0]?.key ?? "";
  }

  get name(): string {
    return namesOf(this.writes);
  }

  /** The request for the changes. */
  request(changes: readonly ConditionalChange[]): Buffer {
    const frame = changeRequest(changes);
    this.operations = changes.reduce((sum, { extra }) => sum + (extra === undefined ? 1 : 2), 0);
    this.bytes = frame.length;
    return frame;
  }
}

const operationOf = ({ end }: RangeQuery): EtcdOperation => (end === undefined ? "get" : "list");
