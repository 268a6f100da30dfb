import {
  CacheError,
  type Entry,
  type Watch,
  type WatchBatch,
  type WatchEvent,
  type WatchSink,
  ownBatch,
} from "../../cache/index.ts";
import type { Kind } from "../kind/kind.ts";
import { makeReady, takeView } from "./view.ts";

/** Events that may wait for their conversion; a watch that is further behind ends, and is taken up again by its client. */
const MOST_WAITING = 10_000;

/**
 * A sink that hands a batch on when the views of its objects are there, in order; for kinds whose conversion asks somebody
 * else. What is late delays this watch alone. What of a selection reads the views is looked at here.
 */
export class ReadySink implements WatchSink {
  readonly #kind: Kind;
  readonly #sink: WatchSink;
  readonly #selects: ((entry: Entry) => boolean) | undefined;
  #queue: WatchBatch[] = [];
  #waiting = 0;
  #delivered = 0;
  #draining: Promise<void> | undefined;
  #watch: Watch | undefined;
  #over = false;

  /** @param selects what must hold of an entry whose view is ready */
  constructor(kind: Kind, sink: WatchSink, selects?: (entry: Entry) => boolean) {
    this.#kind = kind;
    this.#sink = sink;
    this.#selects = selects;
  }

  /** The watch as its reader sees it: what has not been converted has not been delivered. */
  over(watch: Watch): Watch {
    this.#watch = watch;
    const revision = (): number => (this.#queue.length > 0 ? this.#delivered : watch.revision);
    return {
      get revision() {
        return revision();
      },
      get live() {
        return watch.live;
      },
      close: () => {
        this.#over = true;
        watch.close();
      },
    };
  }

  deliver(batch: WatchBatch): void {
    if (this.#over) return;
    if (this.#queue.length === 0) {
      const wait = this.#prepare(batch);
      if (!wait) return this.#deliver(batch);
      this.#queue.push(batch);
      this.#waiting = batch.events.length;
      this.#draining = this.#drain(wait);
      return;
    }
    this.#queue.push(batch);
    this.#waiting += batch.events.length;
    if (this.#waiting > MOST_WAITING) this.#fail(new Error("expected conversions to keep up with the changes"));
  }

  ended(error: CacheError): void {
    if (this.#over) return;
    this.#over = true;
    this.#sink.ended(error);
  }

  /** A long start goes no faster than its conversions. */
  drained(): Promise<void> | undefined {
    if (this.#queue.length === 0) return this.#sink.drained?.();
    return Promise.resolve(this.#draining).then(() => this.#sink.drained?.());
  }

  #prepare({ events }: WatchBatch): Promise<void> | undefined {
    const previous = this.#selects ? events.flatMap((event) => event.previous ?? []) : [];
    return makeReady(this.#kind, [...events.map(({ entry }) => entry), ...previous]);
  }

  async #drain(first: Promise<void>): Promise<void> {
    try {
      await first;
      for (let batch = this.#queue[0]; batch && !this.#over; batch = this.#queue[0]) {
        await this.#prepare(batch);
        if (this.#over) return;
        this.#queue.shift();
        this.#waiting -= batch.events.length;
        this.#deliver(batch);
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  #deliver(batch: WatchBatch): void {
    this.#delivered = batch.revision;
    this.#sink.deliver(this.#selects ? this.#selected(batch, this.#selects) : batch);
  }

  /** A batch as those see it who want only what `selects` lets pass: what stops to match goes, as it last did. */
  #selected({ events, revision, initialEnd }: WatchBatch, selects: (entry: Entry) => boolean): WatchBatch {
    const { restamp } = this.#kind.cache.resource;
    const seen = events.flatMap(({ type, entry, previous }): WatchEvent[] => {
      const now = selects(entry);
      const before = type === "MODIFIED" ? previous !== undefined && selects(previous) : type === "DELETED" && now;
      if (now) return [{ type: type === "MODIFIED" && !before ? "ADDED" : type, entry }];
      if (!before || !previous) return [];
      const gone = restamp(previous, entry.revision);
      takeView(this.#kind, gone, previous);
      return [{ type: "DELETED", entry: gone }];
    });
    return ownBatch(seen, revision, initialEnd);
  }

  #fail(cause: unknown): void {
    if (this.#over) return;
    this.ended(new CacheError("failed", "expected the objects of a watch to be converted", cause));
    this.#watch?.close();
  }
}
