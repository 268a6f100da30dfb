/**
 * The embedded backend: one SQLite database in a directory, owned by one process, written by one thread.
 *
 * This file is the main thread's side. It gathers the writes that arrive while a flush is running and sends them as the
 * next batch: the flush is the clock, there is no timer. It keeps no values but those of the most recent changes; what
 * wants fast reads puts a cache above it.
 *
 *     write() -> queue -> batch -> [writer thread: one transaction, one flush] -> watchers -> promises
 *
 * @module
 */
import { Worker } from "node:worker_threads";
import { type Clock, type Timer, sleep } from "../../util/clock.ts";
import { type Log, silentLog } from "../../util/log.ts";
import { PassingMap } from "../../util/passing.ts";
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
  StoreRoom,
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
import type { HistoryPlace, Reply, Request, ThreadOptions } from "./protocol.ts";
import { unpackEvents, unpackRecords } from "./records.ts";

/** Options of the embedded backend. */
export interface SqliteStoreOptions {
  /** The data directory; it is made when missing, and locked while the store is open. */
  readonly directory: string;
  /** Wall time for the history, and timers for its upkeep. */
  readonly clock: Clock;
  /** How long a replaced version can be read and watched from; 24 hours by default. */
  readonly historyMillis?: number;
  /** How much room the history may take, as a share of the current records; 0.1 by default. */
  readonly historyMaxShare?: number;
  /** The history may take this many bytes whatever its share, so that small stores have one; 16 MiB by default. */
  readonly historyMinBytes?: number;
  /** Told once when room runs out, and once when there is some again. Nobody by default. */
  readonly log?: Log;
  /** Largest size of the database file; writes that need more fail with `full`. No limit but the disk by default. */
  readonly maxBytes?: number;
  /**
   * Whether the store's thread looks after its own garbage when there is little to do; false by default, as V8's flags, which
   * this needs, are those of the whole process.
   */
  readonly givesMemoryBack?: boolean;
}

/** Most writes, and most bytes of them, that go into one transaction of SQLite: any transaction of ours fits. */
const BATCH_WRITES = MAX_TRANSACTION_WRITES;
const BATCH_BYTES = MAX_TRANSACTION_BYTES;
/** Recent changes that are kept in memory for watchers that start a little late. */
const RING_EVENTS = 4096;
const RING_BYTES = 8 << 20;
/** How long a compaction waits for a running read. */
const PINNED_MILLIS = 20;
const FLUSH_SAMPLES = 1000;
/** How often somebody looks after files and room. */
const LOOK_MILLIS = 1000;

/** Writes that are carried out as one. */
interface Pending {
  readonly writes: readonly Write[];
  /** Takes the revision of the first one; those of the others follow it. */
  readonly resolve: (first: number) => void;
  readonly reject: (error: unknown) => void;
}

type HistoryReply = Reply & { type: "history" };
type Records = Reply & { type: "records" };

/** A request that waits for its answer. */
interface Waiting {
  readonly reply: (reply: Reply) => void;
  readonly reject: (error: StoreError) => void;
}

/**
 * Opens the store in a directory, making it if it is new.
 *
 * @throws StoreError `inUse` when another process has the directory; `failed` when the format is newer than this
 *   program; `corrupt` when the database is damaged, missing or of another program; `full`
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { clock, directory, log = silentLog, historyMillis = 86_400_000, historyMaxShare = 0.1 } = options;
  const { historyMinBytes = 16 << 20, maxBytes = Infinity, givesMemoryBack = false } = options;
  const history = { historyMillis, historyMaxShare, historyMinBytes };
  const workerData: ThreadOptions = { directory, ...history, maxBytes, givesMemoryBack };
  // The worker lies beside this file, as .ts in the sources and as .js in a build.
  const extension = /\.[cm]?[jt]s(?=$|\?)/.exec(import.meta.url)?.[0] ?? ".js";
  const file = new URL(`./worker${extension}`, import.meta.url);
  // Without the flags of this process: some (`--input-type`, loaders of test tools) would stop the worker.
  const worker = new Worker(file, { workerData, execArgv: [], name: "keelson-store" });
  const opened = await firstReply(worker);
  if (opened.type === "opened") return new SqliteStore(worker, { clock, log, directory, historyMillis }, opened);
  await worker.terminate();
  throw opened.type === "failed" ? fromPlain(opened.error) : new StoreError("failed", "The store could not be opened");
}

/** The first message of a new worker, and its listeners gone again. */
function firstReply(worker: Worker): Promise<Reply> {
  return new Promise((resolve) => {
    const answer = (reply: Reply): void => {
      worker.off("message", answer).off("error", fail).off("exit", fail);
      resolve(reply);
    };
    const fail = (error: unknown): void => {
      answer({ type: "failed", error: { code: "failed", message: `The store's thread has failed: ${String(error)}` } });
    };
    worker.on("message", answer).on("error", fail).on("exit", fail);
  });
}

interface Around {
  readonly clock: Clock;
  readonly log: Log;
  readonly directory: string;
  readonly historyMillis: number;
}

class SqliteStore implements Store {
  readonly failed: Promise<StoreError>;
  readonly #worker: Worker;
  readonly #clock: Clock;
  readonly #around: Around;
  readonly #hub: WatchHub;
  #tellFailed: (error: StoreError) => void = () => {};
  /** Why nothing can be asked of the store any more. */
  #end: StoreError | undefined;
  #broken = false;
  #queue: Pending[] = [];
  /** The batch that the writer has; there is one at most. */
  #flying: Pending[] = [];
  #sending = false;
  #spare: ArrayBuffer | undefined;
  readonly #waiting = new PassingMap<number, Waiting>();
  #lastId = 0;
  #drained: (() => void) | undefined;
  #closing: Promise<void> | undefined;
  #upkeep: Timer | undefined;
  #look: Timer | undefined;
  #room: StoreRoom;
  #flushes = 0;
  #writes = 0;
  #flushMillis: number[] = [];

  constructor(worker: Worker, around: Around, opened: Reply & { type: "opened" }) {
    const { clock, historyMillis } = around;
    this.#worker = worker;
    this.#clock = clock;
    this.#around = around;
    this.#room = opened.room;
    this.failed = new Promise((resolve) => {
      this.#tellFailed = resolve;
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
    this.#scheduleUpkeep(Math.min(60_000, Math.max(1000, historyMillis / 10)));
    this.#scheduleLook();
  }

  get room(): StoreRoom {
    return this.#room;
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
    return unpackRecords(reply!.buffer, reply!.rows)[0];
  }

  async range(prefix: string, options: RangeOptions = {}): Promise<RangeResult> {
    const { start, limit = Number.MAX_SAFE_INTEGER, revision } = options;
    const replies = await this.#records((id) => ({ type: "range", id, prefix, start, limit, revision }));
    const last = replies.at(-1)!;
    const records = replies.flatMap(({ buffer, rows }) => unpackRecords(buffer, rows));
    return { records, revision: last.revision, more: last.more };
  }

  watch(prefix: string, after: number, watcher: StoreWatcher): StoreWatch {
    this.#checkOpen();
    return this.#hub.watch(prefix, after, watcher);
  }

  async compact(revision: number): Promise<void> {
    this.#checkOpen();
    if (revision > this.revision) throw futureError(revision, this.revision);
    // Each step is a message of its own, so that writes pass between them.
    while (this.#hub.compacted < revision) {
      const before = this.#hub.compacted;
      await this.#compactStep(revision);
      // A read stands in the way.
      if (this.#hub.compacted === before) await sleep(this.#clock, PINNED_MILLIS);
    }
  }

  async currentRevision(): Promise<number> {
    this.#checkOpen();
    return this.revision;
  }

  async stats(): Promise<StoreStats> {
    const reply = await this.#request((id) => ({ type: "stats", id }));
    const flushMillis = this.#flushMillis;
    this.#flushMillis = [];
    const { stats } = reply as Reply & { type: "stats" };
    return { ...stats, flushes: this.#flushes, writes: this.#writes, flushMillis };
  }

  async history(key: string, bounds: HistoryBounds = {}): Promise<KeyHistory> {
    const versions: StoredVersion[] = [];
    let next: HistoryPlace | undefined;
    let compactedRevision = 0;
    let count: number;
    do {
      const from = next;
      // One more than asked for tells whether there are more.
      const left = (bounds.limit ?? Infinity) + 1 - versions.length;
      const reply = (await this.#request((id) => ({ type: "history", id, key, from, limit: left }))) as HistoryReply;
      versions.push(...reply.versions);
      ({ next, compacted: compactedRevision } = reply);
      count = countWithin(versions, bounds);
    } while (next !== undefined && versions.length === count);
    return { versions: versions.slice(0, count), more: versions.length > count, compactedRevision };
  }

  async pin(): Promise<Pin> {
    const reply = (await this.#request((id) => ({ type: "pin", id }))) as Reply & { type: "pinned" };
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
    this.#upkeep?.cancel();
    this.#look?.cancel();
    this.#end ??= new StoreError("closed", "The store has been closed");
    if (this.#queue.length > 0 || this.#flying.length > 0) {
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
    await Promise.race([this.#ask((id) => ({ type: "close", id })), exit]);
    await exit;
  }

  #checkOpen(): void {
    if (this.#end !== undefined) throw this.#end;
  }

  /** Does a part of what leads to the disk and back: where it fails nobody knows what was written. */
  #orFail(work: () => void): void {
    try {
      work();
    } catch (cause) {
      this.#fail(new StoreError("failed", String(cause), { cause }));
    }
  }

  // Writes

  /** Sends the queue when this turn of the event loop is over, unless a batch is on its way. */
  #schedule(): void {
    if (this.#sending || this.#flying.length > 0 || this.#queue.length === 0) return;
    this.#sending = true;
    this.#clock.loop.later(() => this.#orFail(() => this.#sendBatch()));
  }

  #sendBatch(): void {
    this.#sending = false;
    if (this.#queue.length === 0) return;
    const size = batchSize(this.#queue);
    const batch = size === this.#queue.length ? this.#queue : this.#queue.slice(0, size);
    this.#queue = size === this.#queue.length ? [] : this.#queue.slice(size);
    this.#flying = batch;
    const count = batch.reduce((sum, { writes }) => sum + writes.length, 0);
    const buffer = packBatch(batch, count, this.#spare);
    this.#spare = undefined;
    const request: Request = { type: "write", now: this.#clock.now(), count, buffer };
    this.#worker.postMessage(request, [buffer]);
  }

  #receiveWritten({ buffer, revision, compacted, millis, full }: Reply & { type: "written" }): void {
    const batch = this.#flying;
    this.#flying = [];
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
    this.#clock.loop.runInOrder(batch.map((pending, i) => () => conclude(pending, results[i]!)));
    if (worthKeeping(buffer)) this.#spare = buffer;
    this.#tellFull(full);
    if (this.#queue.length === 0) this.#drained?.();
    else this.#schedule();
  }

  #count(writes: number, millis: number): void {
    this.#flushes += 1;
    this.#writes += writes;
    this.#flushMillis.push(millis);
    if (this.#flushMillis.length > 2 * FLUSH_SAMPLES) this.#flushMillis = this.#flushMillis.slice(-FLUSH_SAMPLES);
  }

  // Requests and answers

  #records(make: (id: number) => Request): Promise<Records[]> {
    return new Promise((resolve, reject) => {
      this.#checkOpen();
      const parts: Records[] = [];
      this.#post(make, {
        reply: (reply) => {
          parts.push(reply as Records);
          if ((reply as Records).done) resolve(parts);
        },
        reject,
      });
    });
  }

  async #request(make: (id: number) => Request): Promise<Reply> {
    this.#checkOpen();
    return this.#ask(make);
  }

  #ask(make: (id: number) => Request): Promise<Reply> {
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
    return { events: unpackEvents(reply!.buffer, reply!.rows), through: reply!.revision };
  }

  // Upkeep and the end

  /** One step of compaction; resolves to whether more is due. */
  async #compactStep(revision: number): Promise<boolean> {
    const reply = await this.#request((id) => ({ type: "compact", id, now: this.#clock.now(), revision }));
    return (reply as Reply & { type: "compacted" }).more;
  }

  /** Writes pay for the history that they push out; this is for what grows old while nobody writes. */
  #scheduleUpkeep(millis: number): void {
    const upkeep = (): void => {
      void this.#upkeepNow().then(() => {
        if (this.#end === undefined) this.#scheduleUpkeep(millis);
      });
    };
    this.#upkeep = this.#clock.after(millis, upkeep, { owner: "compaction", upkeep: true });
  }

  /** Looks after files and room while nobody writes, too. */
  #scheduleLook(): void {
    const look = (): void => {
      void this.#lookNow().then(() => {
        if (this.#end === undefined) this.#scheduleLook();
      });
    };
    this.#look = this.#clock.after(LOOK_MILLIS, look, { owner: "store files", upkeep: true });
  }

  async #lookNow(): Promise<void> {
    try {
      const now = this.#clock.now();
      const { room } = (await this.#request((id) => ({ type: "look", id, now }))) as Reply & { type: "looked" };
      this.#tellFull(room.full);
      this.#room = room;
    } catch (error) {
      // Closed or failed meanwhile, which is reported where it happens.
      if (!(error instanceof StoreError)) throw error;
    }
  }

  #tellFull(full: boolean): void {
    if (full === this.#room.full) return;
    this.#room = { ...this.#room, full };
    const { log, directory } = this.#around;
    if (full)
      log.error("no room is left on the disk: reads and deletes go on, other writes are refused", { directory });
    else log.info("there is room on the disk again: all writes go on", { directory });
  }

  async #upkeepNow(): Promise<void> {
    try {
      while (this.#hub.compacted < this.revision && (await this.#compactStep(0)));
    } catch (error) {
      // No room, or closed meanwhile: the next time will do. A failure is reported where it happens.
      if (!(error instanceof StoreError)) throw error;
    }
  }

  /** The end: what was on its way may or may not be on disk, and nothing more will be done. */
  #fail(error: StoreError): void {
    if (this.#broken) return;
    this.#broken = true;
    const failure = new StoreError("failed", `The store has failed: ${error.message}`, { cause: error });
    this.#end = failure;
    this.#upkeep?.cancel();
    this.#look?.cancel();
    for (const { writes, reject } of this.#flying) {
      const message = `It is unknown whether ${namesOf(writes)} was written: ${error.message}`;
      reject(new StoreError("unknown", message, { key: writes[0]!.key, cause: error }));
    }
    for (const { reject } of this.#queue) reject(failure);
    for (const { reject } of this.#waiting.values()) reject(failure);
    this.#flying = [];
    this.#queue = [];
    this.#waiting.clear();
    this.#hub.end(failure);
    this.#drained?.();
    this.#tellFailed(failure);
    void this.#worker.terminate();
  }
}

/** How many at the head of the queue make the next batch; a transaction is never cut. */
function batchSize(queue: readonly Pending[]): number {
  let count = 0;
  let bytes = 0;
  for (let i = 0; i < queue.length; i++) {
    const { writes } = queue[i]!;
    count += writes.length;
    for (const { value } of writes) bytes += value.length;
    if (i > 0 && (count > BATCH_WRITES || bytes > BATCH_BYTES)) return i;
  }
  return queue.length;
}

/** The revision of the first of some writes that were carried out as one, or why they were not; their outcomes begin at `at`. */
function resultOf(writes: readonly Write[], outcomes: Float64Array, at: number): number | StoreError {
  if (outcomeOf(outcomes, at) === WRITTEN) return revisionOf(outcomes, at);
  const refused = writes.findIndex((_, i) => outcomeOf(outcomes, at + i) === REFUSED);
  if (refused >= 0) return conditionError(writes[refused]!, revisionOf(outcomes, at + refused));
  return new StoreError("full", `No room for ${namesOf(writes)}`, { key: writes[0]!.key });
}

function conclude({ resolve, reject }: Pending, result: number | StoreError): void {
  if (typeof result === "number") resolve(result);
  else reject(result);
}
