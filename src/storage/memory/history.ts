/**
 * The history of one memory store: its changes in order, and the versions that they replaced.
 *
 * The current records are an index outside of it: a fork shares that index with its parent and begins with an empty history,
 * so no history belongs to two stores.
 *
 * @module
 */
import { OrderedIndex } from "../../util/ordered-index.ts";
import type { StoreEvent } from "../contract.ts";
import { compareKeys } from "../keys.ts";

/** A value with a key. */
export interface Keyed {
  readonly key: string;
}

/** The order of the store. */
export const byKey = (a: Keyed, b: Keyed): number => compareKeys(a.key, b.key);

/** A version that was replaced, or a delete. */
interface Version {
  readonly event: StoreEvent;
  /** The revision of the change that replaced it; `Infinity` for a delete. */
  readonly until: number;
}

interface Versions extends Keyed {
  /** Oldest first. */
  readonly list: Version[];
}

/** An order of few keys is kept for so many changes at least. */
const MIN_UNREAD = 1000;

/** See the head of this file. */
export class MemoryHistory {
  readonly #versions = new Map<string, Versions>();
  /**
   * The same versions in key order, for reads of the past: made by the first of them, and kept while there are some. It changes
   * only when a key gets its first version or loses its last.
   */
  #sorted: OrderedIndex<Keyed, Versions> | undefined;
  /** How often `#sorted` has changed since it was read. */
  #unread = 0;
  /** The changes after `#compacted`, from index `#head` on. */
  #log: StoreEvent[] = [];
  /** The wall times of these changes; empty where none are recorded. */
  #times: number[] = [];
  #head = 0;
  #compacted: number;
  #bytes = 0;

  /** @param compacted the revision after which it begins */
  constructor(compacted: number) {
    this.#compacted = compacted;
  }

  /** The history contains all changes after this revision. */
  get compacted(): number {
    return this.#compacted;
  }

  /** Bytes of the values in the history. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds the newest change and the version that it replaced; each of them with its wall time, or none of them. */
  add(event: StoreEvent, previous: StoreEvent | undefined, time?: number): void {
    this.#log.push(event);
    if (time !== undefined) this.#times.push(time);
    if (previous) this.#keep({ event: previous, until: event.revision });
    if (event.type === "delete") this.#keep({ event, until: Infinity });
  }

  /** The wall time of a change, where it is recorded and not compacted. */
  timeOf(revision: number): number | undefined {
    if (revision <= this.#compacted) return undefined;
    return this.#times[this.#head + revision - this.#compacted - 1];
  }

  /** The versions of a key, newest first, with its deletes and without the current version. */
  of(key: string): StoreEvent[] {
    return (this.#versions.get(key)?.list ?? []).map(({ event }) => event).toReversed();
  }

  /**
   * The versions that were current at a revision and were replaced since, of keys that begin with `prefix` from `from` on, in
   * order; at most `limit` of them.
   */
  at(revision: number, prefix: string, from: string, limit: number): StoreEvent[] {
    const found: StoreEvent[] = [];
    this.#unread = 0;
    this.#sorted ??= OrderedIndex.build<Keyed, Versions>(byKey, [...this.#versions.values()].toSorted(byKey));
    this.#sorted.scan({ key: from }, ({ key, list }) => {
      if (!key.startsWith(prefix)) return false;
      const version = list.findLast(({ event }) => event.revision <= revision);
      if (version && version.event.type === "put" && revision < version.until) found.push(version.event);
      return found.length < limit;
    });
    return found;
  }

  /** Removes the versions that changes up to `revision` replaced, and deletes up to it. */
  forget(revision: number): void {
    while (this.#compacted < revision) {
      const event = this.#log[this.#head]!;
      this.#head += 1;
      this.#compacted = event.revision;
      this.#drop(event);
    }
    // Cutting only when half is unused keeps the cost per change constant.
    if (this.#head > 256 && this.#head > this.#log.length / 2) {
      this.#log = this.#log.slice(this.#head);
      this.#times = this.#times.slice(this.#head);
      this.#head = 0;
    }
  }

  #keep(version: Version): void {
    const { key, value } = version.event;
    this.#bytes += value.length;
    const known = this.#versions.get(key);
    if (known) {
      known.list.push(version);
      return;
    }
    const first = { key, list: [version] };
    this.#versions.set(key, first);
    this.#sorted?.set(first);
    this.#countUnread();
  }

  #drop({ key, revision, type }: StoreEvent): void {
    const known = this.#versions.get(key);
    if (!known) return;
    const { list } = known;
    const last = type === "delete" ? revision : revision - 1;
    while (list.length > 0 && list[0]!.event.revision <= last) this.#bytes -= list.shift()!.event.value.length;
    if (list.length > 0) return;
    this.#versions.delete(key);
    this.#sorted?.delete(known);
    this.#countUnread();
  }

  /** Gives up the order when it has changed more often than making it again would cost. */
  #countUnread(): void {
    if (!this.#sorted || ++this.#unread <= MIN_UNREAD + this.#sorted.size) return;
    this.#sorted = undefined;
    this.#unread = 0;
  }
}
