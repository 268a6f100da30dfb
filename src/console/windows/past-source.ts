import type { ObjectRange } from "../../registry/index.ts";
import type { Clock } from "../../util/clock.ts";
import type { Semaphore } from "../../util/semaphore.ts";
import { plainState } from "./plain-source.ts";
import type { ListProgress, ListSource, ListState, SourceEvents } from "./source.ts";
import type { WindowTable } from "./table.ts";

/** What a list of a past state shows. */
export interface PastList {
  readonly namespace: string;
  readonly isReversed: boolean;
  readonly revision: number;
  /** The bytes of objects that may be read from the store. */
  readonly maxBytes: number;
  /** Bounds how many are read at once. */
  readonly reads: Semaphore;
}

/** A list at a revision. Its objects are read once; where it is sorted or filtered, an index is built over them. */
export class PastSource implements ListSource {
  readonly table: WindowTable;
  readonly #list: PastList;
  readonly #events: SourceEvents;
  readonly #index: (range: ObjectRange, events: SourceEvents) => ListSource | undefined;
  readonly #over = new AbortController();
  #range: ObjectRange | undefined;
  #indexed: ListSource | undefined;

  /** @param index builds the index over the objects; undefined where their own order is shown */
  constructor(
    table: WindowTable,
    list: PastList,
    events: SourceEvents,
    clock: Clock,
    index: (range: ObjectRange, events: SourceEvents) => ListSource | undefined,
  ) {
    this.table = table;
    this.#list = list;
    this.#events = events;
    this.#index = index;
    clock.loop.later(() => void this.#read());
  }

  get bytes(): number {
    return (this.#range?.bytes ?? 0) + (this.#indexed?.bytes ?? 0);
  }

  get progress(): ListProgress {
    return this.#indexed?.progress ?? { done: 0, of: 0 };
  }

  get isBuilt(): boolean {
    return this.#indexed ? this.#indexed.isBuilt : this.#range !== undefined;
  }

  state(): ListState | undefined {
    if (this.#indexed) return this.#indexed.state();
    return this.#range && plainState(this.#range, this.#list.isReversed);
  }

  close(): void {
    this.#over.abort(new Error("the list was closed"));
    this.#indexed?.close();
  }

  async #read(): Promise<void> {
    const { namespace, revision, maxBytes, reads } = this.#list;
    const { signal } = this.#over;
    if (signal.aborted) return;
    try {
      await reads.run(async () => {
        const range = await this.table.resource.past(namespace, revision, { maxBytes, signal });
        if (signal.aborted) return;
        this.#range = range;
        // The next caller counts it.
        this.#events.grown();
      }, signal);
      const range = this.#range;
      if (!range || signal.aborted) return;
      this.#indexed = this.#index(range, this.#events);
      this.#events.changed();
    } catch (error) {
      if (!signal.aborted) this.#events.ended(error);
    }
  }
}
