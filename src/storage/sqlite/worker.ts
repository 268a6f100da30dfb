/**
 * The writer thread: owns the database, handles requests in the order in which they arrive, and checks the files in between. Only
 * this thread uses SQLite.
 *
 * Any error but a refused write ends the thread with a `failed` message, because the state of the disk is unknown.
 *
 * @module
 */
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import type { DatabaseSync } from "node:sqlite";
import { systemClock } from "../../util/clock.ts";
import { unreachable } from "../../util/assert.ts";
import { UnusedMemory } from "../../util/unused-memory.ts";
import { StoreError } from "../contract.ts";
import { isDamage, isFull, toPlain } from "./errors.ts";
import { History } from "./history.ts";
import type { Ledger } from "./ledger.ts";
import type { HighWater } from "./mark.ts";
import { lockDirectory } from "./lock.ts";
import type { DirectoryLock } from "./lock.ts";
import { Presence } from "./presence.ts";
import type { OpenOptions, Reply, Request, ThreadOptions } from "./protocol.ts";
import { Reader } from "./reader.ts";
import type { Chunk, RangeRead } from "./reader.ts";
import { DiskSpace } from "./disk-space.ts";
import { openTrusted } from "./open.ts";
import { Versions } from "./versions.ts";
import { Writer } from "./writer.ts";

/** An open store in its thread. */
class StoreWorker {
  readonly #directory: string;
  readonly #lock: DirectoryLock;
  readonly #db: DatabaseSync;
  readonly #ledger: Ledger;
  readonly #history: History;
  readonly #space: DiskSpace;
  readonly #reader: Reader;
  readonly #writer: Writer;
  readonly #mark: HighWater;
  readonly #versions: Versions;
  readonly #presence: Presence;
  readonly #pins = new Map<number, { readonly revision: number }>();
  readonly #reads: RangeRead[] = [];

  constructor(options: OpenOptions) {
    this.#directory = options.directory;
    mkdirSync(options.directory, { recursive: true, mode: 0o700 });
    this.#lock = lockDirectory(options.directory);
    let gap: number;
    try {
      const { db, ledger, mark, gap: found } = openTrusted(options.directory);
      this.#db = db;
      this.#ledger = ledger;
      this.#mark = mark;
      gap = found;
    } catch (error) {
      this.#lock.release();
      throw error;
    }
    this.#reader = new Reader(this.#db, this.#ledger);
    this.#history = new History(this.#db, this.#ledger, options, () => this.#reader.pinned());
    const parts = { ledger: this.#ledger, history: this.#history, mark: this.#mark };
    this.#space = new DiskSpace(this.#db, options.directory, parts, options.maxBytes);
    this.#writer = new Writer(this.#db, this.#ledger, this.#history, this.#space, this.#mark);
    this.#versions = new Versions(this.#db, this.#ledger);
    this.#space.withReserve(0, () => this.#history.forgetThrough(gap, systemClock.now()));
    this.#presence = new Presence(options.directory);
  }

  opened(): Reply {
    const { revision, compacted } = this.#ledger;
    return { type: "opened", revision, compacted, space: this.#space.check(systemClock.now()) };
  }

  handle(request: Request): void {
    switch (request.type) {
      case "write":
        return this.#write(request);
      case "get":
        return this.#reply(request.id, () => this.#send(request.id, this.#reader.get(request.key)));
      case "range":
        return this.#reply(request.id, () => this.#beginRange(this.#reader.range(request)));
      case "log":
        return this.#reply(request.id, () => this.#send(request.id, this.#reader.log(request.prefix, request.after)));
      case "compact":
        return this.#compact(request);
      case "history":
        return this.#reply(request.id, () => {
          const { versions, next } = this.#versions.read(request.key, request.from, request.limit);
          post({ type: "history", id: request.id, versions, next, compacted: this.#ledger.compacted });
        });
      case "moments":
        return this.#reply(request.id, () => {
          post({ type: "moments", id: request.id, moments: this.#versions.moments(request.times) });
        });
      case "pin":
        return this.#pin(request.id);
      case "release":
        return this.#release(request.pin);
      case "stats":
        return this.#stats(request.id);
      case "check":
        return this.#check(request);
      case "close":
        return this.#close(request.id);
      default:
        return unreachable(request);
    }
  }

  #write({ buffer, count, now }: Request & { type: "write" }): void {
    const begin = systemClock.steady();
    this.#presence.check();
    const { written, bytes } = this.#writer.apply(buffer, count, now);
    // Before the reply: from here on the files may only grow, except at our own checkpoints.
    this.#presence.note(this.#space.checkpoints, written > 0);
    const { revision, compacted } = this.#ledger;
    const { full } = this.#space;
    const millis = written === 0 ? 0 : systemClock.steady() - begin;
    post({ type: "written", buffer, revision, compacted, millis, full }, [buffer]);
    const { checkpoints } = this.#space;
    this.#space.used(written, bytes);
    if (this.#space.checkpoints > checkpoints) this.#presence.note(this.#space.checkpoints, false);
  }

  #check({ id, now }: Request & { type: "check" }): void {
    this.#presence.check();
    const space = this.#space.check(now);
    this.#presence.note(this.#space.checkpoints, false);
    post({ type: "checked", id, space });
  }

  #beginRange(read: RangeRead): void {
    this.#reads.push(read);
    if (this.#reads.length === 1) this.#readOn();
  }

  /** Sends one chunk of the first range, and continues after the messages that have arrived meanwhile. */
  #readOn(): void {
    const read = this.#reads[0];
    if (read === undefined) return;
    this.#reply(read.id, () => {
      let done = true;
      try {
        const chunk = read.next();
        this.#send(read.id, chunk);
        done = chunk.done;
      } finally {
        if (done) {
          this.#reader.release(read);
          this.#reads.shift();
        }
      }
    });
    if (this.#reads.length > 0) systemClock.loop.later(() => guarded(() => this.#readOn()));
  }

  #compact({ id, now, revision }: Request & { type: "compact" }): void {
    let more = false;
    try {
      more = this.#space.compact(revision, now);
    } catch (error) {
      if (!isFull(error)) throw error;
      post({ type: "refused", id, error: toPlain(error, "full") });
      return;
    }
    this.#presence.note(this.#space.checkpoints, false);
    post({ type: "compacted", id, compacted: this.#ledger.compacted, more });
  }

  #pin(id: number): void {
    const pinned = this.#reader.pin();
    this.#pins.set(id, pinned);
    post({ type: "pinned", id, revision: pinned.revision });
  }

  #release(id: number): void {
    const pinned = this.#pins.get(id);
    if (pinned !== undefined) this.#reader.release(pinned);
    this.#pins.delete(id);
  }

  #stats(id: number): void {
    const { revision, compacted, records } = this.#ledger;
    const size = (name: string): number => statSync(join(this.#directory, name), { throwIfNoEntry: false })?.size ?? 0;
    const bytes = size("keelson.db") + size("keelson.db-wal");
    post({ type: "stats", id, stats: { revision, compactedRevision: compacted, records, bytes } });
  }

  #close(id: number): void {
    for (const read of this.#reads.splice(0)) {
      post({ type: "refused", id: read.id, error: { code: "closed", message: "The store has been closed" } });
    }
    // The mark first: after a crash in between, the log still exists and is required.
    if (this.#ledger.saved) this.#mark.close(this.#ledger.revision);
    this.#db.close();
    this.#space.close();
    this.#presence[Symbol.dispose]();
    this.#lock.release();
    post({ type: "closed", id });
    port.close();
  }

  #send(id: number, { packer, revision, more, done }: Chunk): void {
    const { buffer, rows } = packer.finish();
    post({ type: "records", id, buffer, rows, done, revision, more }, [buffer, rows.buffer]);
  }

  /** Replies to a request with damage and refusals; any other error ends the store. */
  #reply(id: number, work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof StoreError) && !isDamage(error)) throw error;
      post({ type: "refused", id, error: toPlain(error, "failed") });
    }
  }
}

const port = parentPort!;

function post(reply: Reply, transfer: ArrayBuffer[] = []): void {
  port.postMessage(reply, transfer);
}

/** Ends the store when `work` fails. */
function guarded(work: () => void): void {
  try {
    work();
  } catch (error) {
    post({ type: "failed", error: toPlain(error, "failed") });
    port.close();
  }
}

guarded(() => {
  const options = workerData as ThreadOptions;
  const worker = new StoreWorker(options);
  post(worker.opened());
  if (options.givesMemoryBack) new UnusedMemory(systemClock, { trimsAtStart: false });
  port.on("message", (request: Request) => guarded(() => worker.handle(request)));
});
