import type { StoreError, StoreEvent, StoreWatcher } from "../storage/contract.ts";

/** Opens the values of events; a promise where that takes time. */
type Open = (events: readonly StoreEvent[]) => readonly StoreEvent[] | Promise<readonly StoreEvent[]>;

/**
 * The way of events to one watcher. Mostly they go on at once; as long as somebody is asked for a key, what follows waits
 * behind, so that the order stays.
 */
export class Passage {
  readonly #watcher: StoreWatcher;
  readonly #open: Open;
  #pending: Promise<void> | undefined;
  #isClosed = false;

  constructor(watcher: StoreWatcher, open: Open) {
    this.#watcher = watcher;
    this.#open = open;
  }

  /** Resolves when all that has come has been handed on; undefined when it has been. */
  get pending(): Promise<void> | undefined {
    return this.#pending;
  }

  events(batch: readonly StoreEvent[]): void {
    if (this.#pending) return this.#behind(async () => this.#hand(await this.#open(batch)));
    const opened = this.#open(batch);
    if (opened instanceof Promise) this.#behind(async () => this.#hand(await opened));
    else this.#hand(opened);
  }

  progress(revision: number): void {
    const tell = (): void => {
      if (!this.#isClosed) this.#watcher.progress?.(revision);
    };
    if (this.#pending) this.#behind(async () => tell());
    else tell();
  }

  ended(error: StoreError): void {
    const tell = (): void => {
      if (this.#isClosed) return;
      this.#isClosed = true;
      this.#watcher.ended(error);
    };
    if (this.#pending) this.#behind(async () => tell());
    else tell();
  }

  close(): void {
    this.#isClosed = true;
  }

  #hand(events: readonly StoreEvent[]): void {
    if (!this.#isClosed) this.#watcher.events(events);
  }

  /** Does something when all that was before has been done. */
  #behind(work: () => Promise<void>): void {
    const pending = (this.#pending ?? Promise.resolve()).then(work).finally(() => {
      if (this.#pending === pending) this.#pending = undefined;
    });
    this.#pending = pending;
  }
}
