/**
 * A watcher for tests that records events.
 *
 * @module
 */
import type { Store, StoreError, StoreEvent, StoreWatch, StoreWatcher } from "../contract.ts";

/** A watcher that records events. */
export class WatchLog implements StoreWatcher {
  readonly batches: StoreEvent[][] = [];
  error: StoreError | undefined;
  #waiting: (() => void)[] = [];
  #watch: StoreWatch | undefined;

  /** Starts a watch on `store`. */
  static start(store: Store, prefix: string, after: number): WatchLog {
    const log = new WatchLog();
    log.#watch = store.watch(prefix, after, log);
    return log;
  }

  /** Everything so far, in one list. */
  get all(): StoreEvent[] {
    return this.batches.flat();
  }

  get keys(): string[] {
    return this.all.map((event) => event.key);
  }

  events(batch: readonly StoreEvent[]): void {
    this.batches.push([...batch]);
    this.#wake();
  }

  ended(error: StoreError): void {
    this.error = error;
    this.#wake();
  }

  /** Resolves when `count` events have come, or the watch has ended. */
  async until(count: number): Promise<StoreEvent[]> {
    while (this.all.length < count && this.error === undefined) await this.#next();
    return this.all;
  }

  /** Resolves to the error with which the watch ended. */
  async untilEnded(): Promise<StoreError> {
    while (this.error === undefined) await this.#next();
    return this.error;
  }

  close(): void {
    this.#watch?.close();
  }

  #next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }
}
