/**
 * Delivers committed changes to watchers, for backends in this process.
 *
 * The hub keeps a bounded ring of recent changes. A watcher that starts inside the ring gets them from it; one that starts
 * earlier first reads the backend's log page by page, until it has reached the ring. The hub is not a cache: it has no current
 * state.
 *
 * A watcher is in one of three states: `behind` (reads the log), `live` (called on each commit), `closed`.
 * Invariant: a live watcher has received every matching change up to the hub's revision.
 *
 * @module
 */
import type { StoreEvent, StoreWatch, StoreWatcher } from "./contract.ts";
import { StoreError } from "./contract.ts";
import { reportUncaught } from "../util/faults.ts";
import { compactedError, futureError } from "./keys.ts";

/** A page of the log: every matching change after its start and up to `through`, in order. */
export interface LogPage {
  readonly events: readonly StoreEvent[];
  readonly through: number;
}

/** Options of a hub. */
export interface WatchHubOptions {
  readonly revision: number;
  readonly compacted: number;
  /** Reads the backend's log from `after`; rejects with StoreError `compacted` when that is older than the history. */
  readLog(prefix: string, after: number): Promise<LogPage>;
  /** Maximum of changes in memory, and of the bytes of their values. */
  readonly ringEvents: number;
  readonly ringBytes: number;
}

interface Watch {
  readonly prefix: string;
  readonly watcher: StoreWatcher;
  state: "behind" | "live" | "closed";
  /** All matching changes up to this revision were delivered. */
  position: number;
}

/** See the head of this file. */
export class WatchHub {
  readonly #options: WatchHubOptions;
  readonly #watches = new Set<Watch>();
  /** The ring begins at `#head`; the changes before it are dropped and not yet cut off. */
  #ring: StoreEvent[] = [];
  #head = 0;
  #bytes = 0;
  /** The ring contains every change after this revision. */
  #ringAfter: number;
  #revision: number;
  #compacted: number;

  constructor(options: WatchHubOptions) {
    this.#options = options;
    this.#revision = options.revision;
    this.#ringAfter = options.revision;
    this.#compacted = options.compacted;
  }

  /** The newest committed revision. */
  get revision(): number {
    return this.#revision;
  }

  /** The oldest revision from which a watch can start. */
  get compacted(): number {
    return this.#compacted;
  }

  /** Delivers changes that were committed together, in order of revision, to every live watcher. */
  commit(events: readonly StoreEvent[], revision: number): void {
    for (const event of events) {
      this.#bytes += event.value.length;
      this.#ring.push(event);
    }
    this.#revision = revision;
    this.#trim();
    for (const watch of this.#watches) {
      if (watch.state === "live" && watch.position < revision) this.#deliver(watch, events, revision);
    }
  }

  /** Records that the history up to `revision` is gone: later watches cannot start before it. */
  forget(revision: number): void {
    this.#compacted = Math.max(this.#compacted, revision);
  }

  /** See `Store.watch`. */
  watch(prefix: string, after: number, watcher: StoreWatcher): StoreWatch {
    const watch: Watch = { prefix, watcher, state: after === this.#revision ? "live" : "behind", position: after };
    this.#watches.add(watch);
    if (watch.state === "behind") {
      queueMicrotask(() => {
        void this.#catchUp(watch);
      });
    }
    return { close: () => this.#drop(watch) };
  }

  /** Ends every watch with `error`. */
  end(error: StoreError): void {
    for (const watch of this.#watches) this.#end(watch, error);
  }

  async #catchUp(watch: Watch): Promise<void> {
    if (watch.position > this.#revision) {
      this.#end(watch, futureError(watch.position, this.#revision));
      return;
    }
    if (watch.position < this.#compacted) {
      this.#end(watch, compactedError(watch.position, this.#compacted));
      return;
    }
    try {
      while (watch.state === "behind" && watch.position < this.#ringAfter) {
        const page = await this.#options.readLog(watch.prefix, watch.position);
        if (watch.state === "behind") this.#deliver(watch, page.events, page.through);
      }
    } catch (error) {
      this.#end(watch, error instanceof StoreError ? error : new StoreError("failed", String(error), { cause: error }));
      return;
    }
    // No await from here on, so no commit can come between the slice of the ring and the change of state.
    if (watch.state !== "behind") return;
    watch.state = "live";
    const events = this.#ring.slice(this.#indexAfter(watch.position));
    this.#deliver(watch, events, this.#revision);
  }

  #deliver(watch: Watch, events: readonly StoreEvent[], revision: number): void {
    const { prefix, watcher } = watch;
    watch.position = revision;
    const matching = prefix === "" ? events : events.filter((event) => event.key.startsWith(prefix));
    try {
      if (matching.length > 0) watcher.events(matching);
      if ((watch.state as Watch["state"]) !== "closed") watcher.progress?.(revision);
    } catch (error) {
      this.#watcherFailed(watch, error);
    }
  }

  /** Ends the watch: its view is wrong from now on. The store and other watchers are not affected. */
  #watcherFailed(watch: Watch, cause: unknown): void {
    const failure = new StoreError("failed", `A watcher of the store has failed: ${String(cause)}`, { cause });
    this.#end(watch, failure);
    reportUncaught(failure);
  }

  #end(watch: Watch, error: StoreError): void {
    if (watch.state === "closed") return;
    this.#drop(watch);
    try {
      watch.watcher.ended(error);
    } catch (failure) {
      reportUncaught(failure);
    }
  }

  #drop(watch: Watch): void {
    watch.state = "closed";
    this.#watches.delete(watch);
  }

  /** Index in the ring of the first change after `revision`. */
  #indexAfter(revision: number): number {
    let low = this.#head;
    let high = this.#ring.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#ring[middle]!.revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #trim(): void {
    const { ringEvents, ringBytes } = this.#options;
    while (this.#ring.length - this.#head > ringEvents || this.#bytes > ringBytes) {
      const dropped = this.#ring[this.#head]!;
      this.#head += 1;
      this.#bytes -= dropped.value.length;
      this.#ringAfter = dropped.revision;
    }
    // Cutting only when half is dropped keeps the cost per change constant.
    if (this.#head > 256 && this.#head > this.#ring.length / 2) {
      this.#ring = this.#ring.slice(this.#head);
      this.#head = 0;
    }
  }
}
