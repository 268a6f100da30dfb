import type { Watch, WatchBatch, WatchSink } from "../cache/index.ts";
import type { Clock } from "../util/clock.ts";
import type { Resource, WatchOptions } from "./contract.ts";

/** A watch on everything, but for where it begins. */
export const WATCH_ALL: Omit<WatchOptions, "resourceVersion"> = {
  labelSelector: "",
  fieldSelector: "",
  resourceVersionMatch: "",
  sendInitialEvents: undefined,
  allowWatchBookmarks: false,
};

const AGAIN_MS = 1000;

/** Whom a {@link Following} tells of what. */
export interface FollowingOptions {
  readonly resource: Resource;
  readonly clock: Pick<Clock, "after">;
  /** Hears of changes; of what there is, where the watch has begun with that. */
  readonly deliver: (batch: WatchBatch) => void;
  /** The watch has ended by itself and begun anew: what has gone meanwhile is not told. */
  readonly again: () => void;
  /** The watch could not begin; it is tried again. */
  readonly failed: (error: unknown) => void;
}

/** All objects of a resource, followed until it is closed: a watch that has ended begins anew a second later. */
export class Following {
  readonly #options: FollowingOptions;
  #watch: Watch | undefined;
  #closed = false;

  constructor(options: FollowingOptions) {
    this.#options = options;
  }

  /** Hears of what changes from a revision on; without one first of what there is. Resolves when that was tried, never rejects. */
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

  /** Follows no more. */
  close(): void {
    this.#closed = true;
    this.#watch?.close();
  }

  #later(): void {
    this.#options.clock.after(AGAIN_MS, () => void this.#again());
  }

  async #again(): Promise<void> {
    if (this.#closed) return;
    await this.begin();
    this.#options.again();
  }
}
