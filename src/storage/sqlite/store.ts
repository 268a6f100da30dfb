/**
 * The embedded backend: one SQLite database in a directory, owned by one process, written by one thread.
 *
 * This file runs in the main thread. It collects the writes that arrive during a flush and sends them as the next batch, without
 * a timer. It keeps only the values of the most recent changes; a cache above it makes reads fast.
 *
 *     write() -> queue -> batch -> [writer thread: one transaction, one flush] -> watchers -> promises
 *
 * @module
 */
import { assert } from "../../util/assert.ts";
import { Worker } from "node:worker_threads";
import { type Clock, type Timer, sleep } from "../../util/clock.ts";
import { type Log, silentLog } from "../../util/log.ts";
import { ShortLivedMap } from "../../util/short-lived.ts";
import { MAX_TRANSACTION_BYTES, MAX_TRANSACTION_WRITES, StoreError } from "../contract.ts";
import type {
  HistoryBounds,
  KeyHistory,
  Pin,
  RangeOptions,
  RangeResult,
  Store,
  StoredRecord,
  StoredVersion,
  StoreEvent,
  StoreMoments,
  StoreSpace,
  StoreStats,
  StoreWatch,
  StoreWatcher,
  Write,
} from "../contract.ts";
import { countWithin } from "../history-bounds.ts";
import { checkTransaction, checkWrite, conditionError, eventOf, futureError, namesOf, revisionsFrom } from "../keys.ts";
import { WatchHub } from "../watch-hub.ts";
import type { LogPage } from "../watch-hub.ts";
import { outcomeOf, packBatch, revisionOf, worthKeeping } from "./batch.ts";
import { fromPlain } from "./errors.ts";
import { REFUSED, WRITTEN } from "./protocol.ts";
import type { HistoryPosition, Reply, Request, ThreadOptions } from "./protocol.ts";
import { unpackEvents, unpackRecords } from "./records.ts";

/** Options of the embedded backend. */
export interface SqliteStoreOptions {
  /** The data directory; it is created when missing, and locked while the store is open. */
  readonly directory: string;
  /** Wall time for the history, and timers for its compaction. */
  readonly clock: Clock;
  /** How long a replaced version stays in the history; 24 hours by default. */
  readonly historyMillis?: number;
  /** The maximum of the history, as a share of the current records; 0.1 by default. */
  readonly historyMaxShare?: number;
  /** The history may have this many bytes whatever its share, so that small stores have one; 16 MiB by default. */
  readonly historyMinBytes?: number;
  /** Logs when disk space runs out, and when there is some again. */
  readonly log?: Log;
  /** The maximum of the database file; writes that need more fail with `full`. No limit but the disk by default. */
  readonly maxBytes?: number;
  /**
   * Whether the store's thread collects garbage when it is idle; false by default, since V8's flags for it apply to the whole
   * process.
   */
  readonly givesMemoryBack?: boolean;
}

/** The maximum of writes and bytes in one transaction of SQLite: any transaction of the store fits. */
const BATCH_WRITES = MAX_TRANSACTION_WRITES;
const BATCH_BYTES = MAX_TRANSACTION_BYTES;
/** Recent changes in memory, for watchers that start a little late. */
const RING_EVENTS = 4096;
const RING_BYTES = 8 << 20;
/** How long a compaction waits for a running read. */
const PINNED_RETRY_MS = 20;
const FLUSH_SAMPLES = 1000;
const FILE_CHECK_INTERVAL_MS = 1000;

/** A write or a transaction that waits for its flush. */
interface Pending {
  readonly writes: readonly Write[];
  /** Resolves to the revision of the first write; those of the others follow it. */
  readonly resolve: (first: number) => void;
  readonly reject: (error: unknown) => void;
}

type Records = Reply & { type: "records" };

/** A request that waits for its reply. */
interface Waiting {
  readonly reply: (reply: Reply) => void;
  readonly reject: (error: StoreError) => void;
}

/**
 * Opens the store in a directory; creates a new one.
 *
 * @throws StoreError `inUse` when another process has the directory; `failed` when the format is newer than this
 *   program; `corrupt` when the database is damaged, missing or of another program; `full`
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { clock, directory, log = silentLog, historyMillis = 86_400_000, historyMaxShare = 0.1 } = options;
  const { historyMinBytes = 16 << 20, maxBytes = Infinity, givesMemoryBack = false } = options;
  const history = { historyMillis, historyMaxShare, historyMinBytes };
  const workerData: ThreadOptions = { directory, ...history, maxBytes, givesMemoryBack };
  // The worker is beside this file, as .ts in the sources and as .js in a build.
  const extension = /\.[cm]?[jt]s(?=$|\?)/.exec(import.meta.url)?.[0] ?? ".js";
  const file = new URL(`./worker${extension}`, import.meta.url);
  // Without the flags of this process: some (`--input-type`, loaders of test tools) would break the worker.
  const worker = new Worker(file, { workerData, execArgv: [], name: "keelson-store" });
  const opened = await firstReply(worker);
  if (opened.type === "opened") return new SqliteStore(worker, { clock, log, directory, historyMillis }, opened);
  await worker.terminate();
  throw opened.type === "failed" ? fromPlain(opened.error) : new StoreError("failed", "The store could not be opened");
}

/** The first message of a new worker; removes the listeners. */
function firstReply(worker: Worker): Promise<Reply> {
  return new Promise((resolve) => {
    const receive = (reply: Reply): void => {
      worker.off("message", receive).off("error", fail).off("exit", fail);
      resolve(reply);
    };
    const fail = (error: unknown): void => {
      receive({
        type: "failed",
        error: { code: "failed", message: `The store's thread has failed: ${String(error)}` },
      });
    };
    worker.on("message", receive).on("error", fail).on("exit", fail);
  });
}

interface StoreParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly directory: string;
  readonly historyMillis: number;
}

class SqliteStore implements Store {
  readonly failed: Promise<StoreError>;
  readonly #worker: Worker;
  readonly #clock: Clock;
  readonly #parts: StoreParts;
  readonly #hub: WatchHub;
  #resolveFailed: (error: StoreError) => void = () => {};
  /** Why no more requests are possible. */
  #end: StoreError | undefined;
  #broken = false;
  #queue: Pending[] = [];
  /** The batch of the writer; there is at most one. */
  #inFlight: Pending[] = [];
  #sending = false;
  #spare: ArrayBuffer | undefined;
  readonly #waiting = new ShortLivedMap<number, Waiting>();
  #lastId = 0;
  #drained: (() => void) | undefined;
  #closing: Promise<void> | undefined;
  #compaction: Timer | undefined;
  #fileCheck: Timer | undefined;
  #space: StoreSpace;
  #flushes = 0;
  #writes = 0;
  #flushMillis: number[] = [];

  constructor(worker: Worker, parts: StoreParts, opened: Reply & { type: "opened" }) {
    const { clock, historyMillis } = parts;
    this.#worker = worker;
    this.#clock = clock;
    this.#parts = parts;
    this.#space = opened.space;
    this.failed = new Promise((resolve) => {
      this.#resolveFailed = resolve;
    });
    this.#hub = new WatchHub({
      revision: opened.revision,
      compacted: opened.compacted,
      ringEvents: RING_EVENTS,
      ringBytes: RING_BYTES,
      readLog: (prefix, after) => this.#readLog(prefix, after),
    });
    worker.on("message", (reply: Reply) => this.#orFail(() => this.#receive(reply)));
    worker.on("error", (error) => this.#fail(new StoreError("failed", `The store's thread has failed: ${error}`)));
    worker.on("exit", () => this.#fail(new StoreError("failed", "The store's thread has ended")));
    this.#scheduleCompaction(Math.min(60_000, Math.max(1000, historyMillis / 10)));
    this.#scheduleFileCheck();
  }

  get space(): StoreSpace {
    return this.#space;
  }

  get revision(): number {
    return this.#hub.revision;
  }

  write(write: Write): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#checkOpen();
      checkWrite(write);
      this.#queue.push({ writes: [write], resolve, reject });
      this.#schedule();
    });
  }

  async transact(writes: readonly Write[]): Promise<readonly number[]> {
    this.#checkOpen();
    checkTransaction(writes);
    if (writes.length === 0) return [];
    const first = await new Promise<number>((resolve, reject) => {
      this.#queue.push({ writes, resolve, reject });
      this.#schedule();
    });
    return revisionsFrom(first, writes.length);
  }

  async get(key: string): Promise<StoredRecord | undefined> {
    const [reply] = await this.#records((id) => ({ type: "get", id, key }));
    return reply && unpackRecords(reply.buffer, reply.rows)[0];
  }

  async range(prefix: string, options: RangeOptions = {}): Promise<RangeResult> {
    const { start, limit = Number.MAX_SAFE_INTEGER, revision } = options;
    const replies = await this.#records((id) => ({ type: "range", id, prefix, start, limit, revision }));
    const records = replies.flatMap(({ buffer, rows }) => unpackRecords(buffer, rows));
    const { revision: read = 0, more = false } = replies.at(-1) ?? {};
    return { records, revision: read, more };
  }

  watch(prefix: string, after: number, watcher: StoreWatcher): StoreWatch {
    this.#checkOpen();
    return this.#hub.watch(prefix, after, watcher);
  }

  async compact(revision: number): Promise<void> {
    this.#checkOpen();
    if (revision > this.revision) throw futureError(revision, this.revision);
    // Each step is a message of its own, so that writes come between them.
    while (this.#hub.compacted < revision) {
      const before = this.#hub.compacted;
      await this.#compactStep(revision);
      // A running read prevents progress.
      if (this.#hub.compacted === before) await sleep(this.#clock, PINNED_RETRY_MS);
    }
  }

  async currentRevision(): Promise<number> {
    this.#checkOpen();
    return this.revision;
  }

  async stats(): Promise<StoreStats> {
    const { stats } = await this.#request("stats", (id) => ({ type: "stats", id }));
    const flushMillis = this.#flushMillis;
    this.#flushMillis = [];
    return { ...stats, flushes: this.#flushes, writes: this.#writes, flushMillis };
  }

  async history(key: string, bounds: HistoryBounds = {}): Promise<KeyHistory> {
    const versions: StoredVersion[] = [];
    let next: HistoryPosition | undefined;
    let compactedRevision = 0;
    let count: number;
    do {
      const from = next;
      // One version above the limit shows whether there are more.
      const left = (bounds.limit ?? Infinity) + 1 - versions.length;
      const reply = await this.#request("history", (id) => ({ type: "history", id, key, from, limit: left }));
      versions.push(...reply.versions);
      ({ next, compacted: compactedRevision } = reply);
      count = countWithin(versions, bounds);
    } while (next !== undefined && versions.length === count);
    return { versions: versions.slice(0, count), more: versions.length > count, compactedRevision };
  }

  async moments(times: readonly number[]): Promise<StoreMoments> {
    const { moments } = await this.#request("moments", (id) => ({ type: "moments", id, times }));
    return moments;
  }

  async pin(): Promise<Pin> {
    const reply = await this.#request("pinned", (id) => ({ type: "pin", id }));
    const release = (): void => {
      if (this.#end === undefined) this.#worker.postMessage({ type: "release", id: 0, pin: reply.id });
    };
    return { revision: reply.revision, release };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#compaction?.cancel();
    this.#fileCheck?.cancel();
    this.#end ??= new StoreError("closed", "The store has been closed");
    if (this.#queue.length > 0 || this.#inFlight.length > 0) {
      await new Promise<void>((resolve) => {
        this.#drained = resolve;
      });
    }
    this.#hub.end(new StoreError("closed", "The store has been closed"));
    if (this.#broken) return;
    const exit = new Promise((resolve) => {
      this.#worker.removeAllListeners("exit");
      this.#worker.once("exit", resolve);
    });
    await Promise.race([this.#send((id) => ({ type: "close", id })), exit]);
    await exit;
  }

  #checkOpen(): void {
    if (this.#end !== undefined) throw this.#end;
  }

  /** Runs a part of the write path; after an error it is unknown what was written. */
  #orFail(work: () => void): void {
    try {
      work();
    } catch (cause) {
      this.#fail(new StoreError("failed", String(cause), { cause }));
    }
  }

  // Writes

  /** Sends the queue at the end of this slice of the event loop, unless a batch is in flight. */
  #schedule(): void {
    if (this.#sending || this.#inFlight.length > 0 || this.#queue.length === 0) return;
    this.#sending = true;
    this.#clock.loop.later(() => this.#orFail(() => this.#sendBatch()));
  }

  #sendBatch(): void {
    this.#sending = false;
    if (this.#queue.length === 0) return;
    const size = batchSize(this.#queue);
    const batch = size === this.#queue.length ? this.#queue : this.#queue.slice(0, size);
    this.#queue = size === this.#queue.length ? [] : this.#queue.slice(size);
    this.#inFlight = batch;
    const count = batch.reduce((sum, { writes }) => sum + writes.length, 0);
    const buffer = packBatch(batch, count, this.#spare);
    this.#spare = undefined;
    const request: Request = { type: "write", now: this.#clock.now(), count, buffer };
    this.#worker.postMessage(request, [buffer]);
  }

  #receiveWritten({ buffer, revision, compacted, millis, full }: Reply & { type: "written" }): void {
    const batch = this.#inFlight;
    this.#inFlight = [];
    const outcomes = new Float64Array(buffer);
    const events: StoreEvent[] = [];
    let at = 0;
    const results = batch.map(({ writes }) => {
      const result = resultOf(writes, outcomes, at);
      at += writes.length;
      if (typeof result === "number") writes.forEach((write, i) => events.push(eventOf(write, result + i)));
      return result;
    });
    if (events.length > 0) this.#count(events.length, millis);
    if (events.length > 0) this.#hub.commit(events, revision);
    this.#hub.forget(compacted);
    this.#clock.loop.runInOrder(batch.map((pending, i) => () => resolvePending(pending, results[i]!)));
    if (worthKeeping(buffer)) this.#spare = buffer;
    this.#setFull(full);
    if (this.#queue.length === 0) this.#drained?.();
    else this.#schedule();
  }

  #count(writes: number, millis: number): void {
    this.#flushes += 1;
    this.#writes += writes;
    this.#flushMillis.push(millis);
    if (this.#flushMillis.length > 2 * FLUSH_SAMPLES) this.#flushMillis = this.#flushMillis.slice(-FLUSH_SAMPLES);
  }

  // Requests and replies

  #records(make: (id: number) => Request): Promise<Records[]> {
    return new Promise((resolve, reject) => {
      this.#checkOpen();
      const parts: Records[] = [];
      this.#post(make, {
        reply: (reply) => {
          if (reply.type !== "records") return;
          parts.push(reply);
          if (reply.done) resolve(parts);
        },
        reject,
      });
    });
  }

  /** Sends a request; resolves to its reply, which has a type of its own. */
  async #request<T extends Reply["type"]>(type: T, make: (id: number) => Request): Promise<Reply & { type: T }> {
    this.#checkOpen();
    const reply = await this.#send(make);
    assert(isOf(reply, type), `a reply of ${type} to a request`);
    return reply;
  }

  #send(make: (id: number) => Request): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.#post(make, { reply: resolve, reject });
    });
  }

  #post(make: (id: number) => Request, waiting: Waiting): void {
    this.#lastId += 1;
    this.#waiting.set(this.#lastId, waiting);
    this.#worker.postMessage(make(this.#lastId));
  }

  #receive(reply: Reply): void {
    if (reply.type === "written") return this.#receiveWritten(reply);
    if (reply.type === "failed") return this.#fail(fromPlain(reply.error));
    if (reply.type === "opened") return;
    const waiting = this.#waiting.get(reply.id);
    if (waiting === undefined) return;
    if (reply.type !== "records" || reply.done) this.#waiting.delete(reply.id);
    if (reply.type === "compacted") this.#hub.forget(reply.compacted);
    if (reply.type === "refused") waiting.reject(fromPlain(reply.error));
    else waiting.reply(reply);
  }

  async #readLog(prefix: string, after: number): Promise<LogPage> {
    const [reply] = await this.#records((id) => ({ type: "log", id, prefix, after }));
    assert(reply, "a request for records has one reply at least");
    return { events: unpackEvents(reply.buffer, reply.rows), through: reply.revision };
  }

  // Maintenance, and the end

  /** Compacts one step; resolves to whether more is due. */
  async #compactStep(revision: number): Promise<boolean> {
    const now = this.#clock.now();
    return (await this.#request("compacted", (id) => ({ type: "compact", id, now, revision }))).more;
  }

  /** Compacts history that gets too old while there are no writes; writes compact what they push out of the bounds. */
  #scheduleCompaction(millis: number): void {
    const compact = (): void => {
      void this.#compactDue().then(() => {
        if (this.#end === undefined) this.#scheduleCompaction(millis);
      });
    };
    this.#compaction = this.#clock.after(millis, compact, { owner: "compaction", upkeep: true });
  }

  /** Checks files and disk space, also while there are no writes. */
  #scheduleFileCheck(): void {
    const check = (): void => {
      void this.#checkFiles().then(() => {
        if (this.#end === undefined) this.#scheduleFileCheck();
      });
    };
    this.#fileCheck = this.#clock.after(FILE_CHECK_INTERVAL_MS, check, { owner: "store files", upkeep: true });
  }

  async #checkFiles(): Promise<void> {
    try {
      const now = this.#clock.now();
      const { space } = await this.#request("checked", (id) => ({ type: "check", id, now }));
      this.#setFull(space.full);
      this.#space = space;
    } catch (error) {
      // The store was closed or has failed, which is reported elsewhere.
      if (!(error instanceof StoreError)) throw error;
    }
  }

  #setFull(full: boolean): void {
    if (full === this.#space.full) return;
    this.#space = { ...this.#space, full };
    const { log, directory } = this.#parts;
    if (full)
      log.error("no space is left on the disk: reads and deletes succeed, other writes are refused", { directory });
    else log.info("there is space on the disk again: all writes succeed", { directory });
  }

  async #compactDue(): Promise<void> {
    try {
      while (this.#hub.compacted < this.revision && (await this.#compactStep(0)));
    } catch (error) {
      // No space, or closed: the next timer tries again. A failure is reported elsewhere.
      if (!(error instanceof StoreError)) throw error;
    }
  }

  /** Ends the store: writes in flight may or may not be on disk. */
  #fail(error: StoreError): void {
    if (this.#broken) return;
    this.#broken = true;
    const failure = new StoreError("failed", `The store has failed: ${error.message}`, { cause: error });
    this.#end = failure;
    this.#compaction?.cancel();
    this.#fileCheck?.cancel();
    for (const { writes, reject } of this.#inFlight) {
      const message = `It is unknown whether ${namesOf(writes)} was written: ${error.message}`;
      reject(new StoreError("unknown", message, { key: writes[0]?.key ?? "", cause: error }));
    }
    for (const { reject } of this.#queue) reject(failure);
    for (const { reject } of this.#waiting.values()) reject(failure);
    this.#inFlight = [];
    this.#queue = [];
    this.#waiting.clear();
    this.#hub.end(failure);
    this.#drained?.();
    this.#resolveFailed(failure);
    void this.#worker.terminate();
  }
}

const isOf = <T extends Reply["type"]>(reply: Reply, type: T): reply is Reply & { type: T } => reply.type === type;

/** The length of the next batch at the head of the queue; a transaction is never split. */
function batchSize(queue: readonly Pending[]): number {
  let count = 0;
  let bytes = 0;
  for (const [i, { writes }] of queue.entries()) {
    count += writes.length;
    for (const { value } of writes) bytes += value.length;
    if (i > 0 && (count > BATCH_WRITES || bytes > BATCH_BYTES)) return i;
  }
  return queue.length;
}

/** The revision of the first write, or the error; the outcomes of the writes begin at `at`. */
function resultOf(writes: readonly Write[], outcomes: Float64Array, at: number): number | StoreError {
  if (outcomeOf(outcomes, at) === WRITTEN) return revisionOf(outcomes, at);
  const refused = writes.findIndex((_, i) => outcomeOf(outcomes, at + i) === REFUSED);
  if (refused >= 0) return conditionError(writes[refused]!, revisionOf(outcomes, at + refused));
  return new StoreError("full", `No space for ${namesOf(writes)}`, { key: writes[0]?.key ?? "" });
}

function resolvePending({ resolve, reject }: Pending, result: number | StoreError): void {
  if (typeof result === "number") resolve(result);
  else reject(result);
}
