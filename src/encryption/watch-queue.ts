import type { StoreError, StoreEvent, StoreWatcher } from "../storage/contract.ts";

/** Decrypts the values of events; returns a promise where a plugin has to be called. */
type Decrypt = (events: readonly StoreEvent[]) => readonly StoreEvent[] | Promise<readonly StoreEvent[]>;

/** Delivers events to one watcher in their order: at once, or after the plugin's response that earlier events wait for. */
export class WatchQueue {
  readonly #watcher: StoreWatcher;
  readonly #decrypt: Decrypt;
  #pending: Promise<void> | undefined;
  #isClosed = false;

  constructor(watcher: StoreWatcher, decrypt: Decrypt) {
    this.#watcher = watcher;
    this.#decrypt = decrypt;
  }

  /** Resolves when all events are delivered; undefined when they are. */
  get pending(): Promise<void> | undefined {
    return this.#pending;
  }

  events(batch: readonly StoreEvent[]): void {
    if (this.#pending) return this.#queue(async () => this.#deliver(await this.#decrypt(batch)));
    const decrypted = this.#decrypt(batch);
    if (decrypted instanceof Promise) this.#queue(async () => this.#deliver(await decrypted));
    else this.#deliver(decrypted);
  }

  progress(revision: number): void {
    this.#inOrder(() => this.#watcher.progress?.(revision));
  }

  ended(error: StoreError): void {
    this.#inOrder(() => {
      this.#isClosed = true;
      this.#watcher.ended(error);
    });
  }

  close(): void {
    this.#isClosed = true;
  }

  #deliver(events: readonly StoreEvent[]): void {
    if (!this.#isClosed) this.#watcher.events(events);
  }

  #inOrder(notify: () => void): void {
    const notifyOpen = (): void => {
      if (!this.#isClosed) notify();
    };
    if (this.#pending) this.#queue(async () => notifyOpen());
    else notifyOpen();
  }

  #queue(work: () => Promise<void>): void {
    const pending = (this.#pending ?? Promise.resolve()).then(work).finally(() => {
      if (this.#pending === pending) this.#pending = undefined;
    });
    this.#pending = pending;
  }
}
