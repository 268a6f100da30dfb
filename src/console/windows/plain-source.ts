import type { ObjectRange, Resource, Watch, WatchOptions, WatchSink } from "../../registry/index.ts";
import type { Clock } from "../../util/clock.ts";
import type { ListProgress, ListSource, ListState, SourceEvents } from "./source.ts";
import type { WindowTable } from "./table.ts";

/** What a plain list shows. */
export interface PlainList {
  readonly namespace: string;
  /** Whether the last object is the first row. */
  readonly isReversed: boolean;
}

const DONE: ListProgress = { done: 0, of: 0 };

/** The options of a watch for every change from now on. */
export const fromNow = (resource: Resource, namespace: string): WatchOptions => ({
  labelSelector: "",
  fieldSelector: "",
  resourceVersion: String(resource.present(namespace).revision),
  resourceVersionMatch: "",
  sendInitialEvents: undefined,
  allowWatchBookmarks: false,
});

/** The rows of a range of objects in their own order, or in the reverse one. */
export const plainState = (range: ObjectRange, isReversed: boolean): ListState => ({
  revision: range.revision,
  matching: range.size,
  total: range.size,
  entries(offset, count) {
    if (!isReversed) return range.entries(offset, count);
    const end = Math.max(0, range.size - offset);
    const from = Math.max(0, end - count);
    return range.entries(from, end - from).toReversed();
  },
});

/** A list without filters in the order of the cache. It keeps nothing: rows are read where they stand, in logarithmic time. */
export class PlainSource implements ListSource, WatchSink {
  readonly table: WindowTable;
  readonly bytes = 0;
  readonly progress = DONE;
  readonly isBuilt = true;
  readonly #resource: Resource;
  readonly #list: PlainList;
  readonly #events: SourceEvents;
  #watch: Watch | undefined;
  #isClosed = false;

  constructor(table: WindowTable, list: PlainList, events: SourceEvents, clock: Clock) {
    this.table = table;
    this.#resource = table.resource;
    this.#list = list;
    this.#events = events;
    clock.loop.later(() => void this.#begin());
  }

  state(): ListState {
    return plainState(this.#resource.present(this.#list.namespace), this.#list.isReversed);
  }

  deliver(): void {
    this.#events.changed();
  }

  ended(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#events.ended(undefined);
  }

  close(): void {
    this.#isClosed = true;
    this.#watch?.close();
  }

  async #begin(): Promise<void> {
    if (this.#isClosed) return;
    try {
      const { watch } = await this.#resource.watch(
        this.#list.namespace,
        fromNow(this.#resource, this.#list.namespace),
        this,
      );
      this.#watch = watch;
      if (this.#isClosed) watch.close();
      // What has changed between the first state and the beginning of the watch is shown, too.
      else this.#events.changed();
    } catch (error) {
      if (this.#isClosed) return;
      this.#isClosed = true;
      this.#events.ended(error);
    }
  }
}
