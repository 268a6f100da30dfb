import { CacheError, type Watch, type WatchBatch, type WatchSink } from "../../cache/index.ts";
import type { Kind } from "../kind.ts";
import { makeReady } from "./view.ts";

/** Events that may wait for their conversion; a watch that is further behind ends, and is taken up again by its client. */
const MOST_WAITING = 10_000;

/**
 * A sink that hands a batch on when the views of its objects are there, in order; for kinds whose conversion asks somebody
 * else. What is late delays this watch alone.
 */
export class ReadySink implements WatchSink {
  readonly #kind: Kind;
  readonly #sink: WatchSink;
  #queue: WatchBatch[] = [];
  #waiting = 0;
  #delivered = 0;
  #watch: Watch | undefined;
  #over = false;

  constructor(kind: Kind, sink: WatchSink) {
    this.#kind = kind;
    this.#sink = sink;
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
      if (!wait) return this.#hand(batch);
      this.#queue.push(batch);
      this.#waiting = batch.events.length;
      void this.#drain(wait);
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

  drained(): Promise<void> | undefined {
    return this.#sink.drained?.();
  }

  #prepare(batch: WatchBatch): Promise<void> | undefined {
    return makeReady(
      this.#kind,
      batch.events.map(({ entry }) => entry),
    );
  }

  async #drain(first: Promise<void>): Promise<void> {
    try {
      await first;
      for (let batch = this.#queue[0]; batch && !this.#over; batch = this.#queue[0]) {
        await this.#prepare(batch);
        if (this.#over) return;
        this.#queue.shift();
        this.#waiting -= batch.events.length;
        this.#hand(batch);
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  #hand(batch: WatchBatch): void {
    this.#delivered = batch.revision;
    this.#sink.deliver(batch);
  }

  #fail(cause: unknown): void {
    if (this.#over) return;
    this.ended(new CacheError("failed", "expected the objects of a watch to be converted", cause));
    this.#watch?.close();
  }
}
