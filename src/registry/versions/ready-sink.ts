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

/** Events that may wait for their conversion; a watch that is further behind ends, and its client resumes it. */
const MOST_WAITING = 10_000;

/**
 * A sink that passes on a batch when the views of its objects are ready, in order; for kinds whose conversion waits for a webhook. A late
 * conversion delays only this watch. The part of a selection that reads the views is evaluated here.
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

  /** @param selects whether an entry, whose view is ready, is selected */
  constructor(kind: Kind, sink: WatchSink, selects?: (entry: Entry) => boolean) {
    this.#kind = kind;
    this.#sink = sink;
    this.#selects = selects;
  }

  /** The watch as its reader sees it: an event that is not converted counts as not delivered. */
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

  /** The start of a watch on many objects is no faster than their conversions. */
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

  /** A batch for readers of selected objects only: an object that no longer matches is deleted, with its last matching state. */
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
