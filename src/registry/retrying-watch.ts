import type { Watch, WatchBatch, WatchSink } from "../cache/index.ts";
import type { Clock, Timer } from "../util/clock.ts";
import type { Resource, WatchOptions } from "./contract.ts";

/** A watch on all objects, without its start revision. */
export const WATCH_ALL: Omit<WatchOptions, "resourceVersion"> = {
  labelSelector: "",
  fieldSelector: "",
  resourceVersionMatch: "",
  sendInitialEvents: undefined,
  allowWatchBookmarks: false,
};

const RETRY_MS = 1000;

/** Settings of a {@link RetryingWatch}. */
export interface RetryingWatchOptions {
  readonly resource: Resource;
  readonly clock: Pick<Clock, "after">;
  /** Gets changes, and the stored objects where the watch began with them. */
  readonly deliver: (batch: WatchBatch) => void;
  /** Called when the watch has ended and has started again; deletes in between are not delivered. */
  readonly restarted: () => void;
  /** Called when the watch failed to start; it is retried. */
  readonly failed: (error: unknown) => void;
}

/** Watches all objects of a resource until it is closed; a watch that has ended starts again a second later. */
export class RetryingWatch {
  readonly #options: RetryingWatchOptions;
  #watch: Watch | undefined;
  #retry: Timer | undefined;
  #closed = false;

  constructor(options: RetryingWatchOptions) {
    this.#options = options;
  }

  /** Watches from a revision on; without one from the stored objects on. Resolves when the watch has begun or failed, never rejects. */
  async begin(revision?: number): Promise<void> {
    const { resource, deliver, failed } = this.#options;
    const sink: WatchSink = { deliver, ended: () => this.#later() };
    try {
      const resourceVersion = revision === undefined ? "" : String(revision);
      const { watch } = await resource.watch("", { ...WATCH_ALL, resourceVersion }, sink);
      this.#watch = watch;
    } catch (error) {
      failed(error);
      this.#later();
    }
    if (this.#closed) this.close();
  }

  close(): void {
    this.#closed = true;
    this.#retry?.cancel();
    this.#watch?.close();
  }

  #later(): void {
    if (this.#closed) return;
    this.#retry = this.#options.clock.after(RETRY_MS, () => void this.#again());
  }

  async #again(): Promise<void> {
    await this.begin();
    if (this.#closed) return;
    this.#options.restarted();
  }
}
