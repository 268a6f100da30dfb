/**
 * The history of one memory store: its changes in order, and the versions that they replaced.
 *
 * It knows nothing of the present, which is an index of its own: a fork shares that with its parent and begins with an
 * empty past, so nothing here is ever seen by two stores.
 *
 * @module
 */
import { OrderedIndex } from "../../util/ordered-index.ts";
import type { StoreEvent } from "../contract.ts";
import { compareKeys } from "../keys.ts";

/** Anything that lies under a key. */
export interface Keyed {
  readonly key: string;
}

/** The order of the store. */
export const byKey = (a: Keyed, b: Keyed): number => compareKeys(a.key, b.key);

/** A version that is not the present one any more, or a delete. */
interface Version {
  readonly event: StoreEvent;
  /** The revision of the change that replaced it; `Infinity` for a delete, which nothing needs to end. */
  readonly until: number;
}

interface Versions extends Keyed {
  /** Oldest first. */
  readonly list: Version[];
}

/** See the head of this file. */
export class Past {
  readonly #versions = new Map<string, Versions>();
  /** The same in order; a key is searched for there only when it comes and goes. */
  readonly #sorted = new OrderedIndex<Keyed, Versions>(byKey);
  /** Every change after `#compacted`, from `#head` on. */
  #log: StoreEvent[] = [];
  #head = 0;
  #compacted: number;
  #bytes = 0;

  /** @param compacted the revision that it begins after */
  constructor(compacted: number) {
    this.#compacted = compacted;
  }

  /** Every change after this revision is here, none up to it. */
  get compacted(): number {
    return this.#compacted;
  }

  /** Bytes of the values that only the past holds. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Takes the newest change and the version that it replaced. */
  add(event: StoreEvent, previous: StoreEvent | undefined): void {
    this.#log.push(event);
    if (previous) this.#keep({ event: previous, until: event.revision });
    if (event.type === "delete") this.#keep({ event, until: Infinity });
  }

  /** What is kept of a key, newest first, its deletes among it; the present version is not. */
  of(key: string): StoreEvent[] {
    return (this.#versions.get(key)?.list ?? []).map(({ event }) => event).toReversed();
  }

  /**
   * The versions that were the present ones at a revision and no longer are, of keys that begin with `prefix` and are
   * not before `from`, in order; the first `most` of them.
   */
  at(revision: number, prefix: string, from: string, most: number): StoreEvent[] {
    const found: StoreEvent[] = [];
    this.#sorted.scan({ key: from }, ({ key, list }) => {
      if (!key.startsWith(prefix)) return false;
      const version = list.findLast(({ event }) => event.revision <= revision);
      if (version && version.event.type === "put" && revision < version.until) found.push(version.event);
      return found.length < most;
    });
    return found;
  }

  /** Drops, for each change up to `revision`, the version that it replaced, and itself when it was a delete. */
  forget(revision: number): void {
    while (this.#compacted < revision) {
      const event = this.#log[this.#head]!;
      this.#head += 1;
      this.#compacted = event.revision;
      this.#drop(event);
    }
    // Cutting off only when half is waste keeps the price of a change constant.
    if (this.#head > 256 && this.#head > this.#log.length / 2) {
      this.#log = this.#log.slice(this.#head);
      this.#head = 0;
    }
  }

  #keep(version: Version): void {
    const { key, value } = version.event;
    this.#bytes += value.length;
    const there = this.#versions.get(key);
    if (there) {
      there.list.push(version);
      return;
    }
    const first = { key, list: [version] };
    this.#versions.set(key, first);
    this.#sorted.set(first);
  }

  #drop({ key, revision, type }: StoreEvent): void {
    const there = this.#versions.get(key);
    if (!there) return;
    const { list } = there;
    const last = type === "delete" ? revision : revision - 1;
    while (list.length > 0 && list[0]!.event.revision <= last) this.#bytes -= list.shift()!.event.value.length;
    if (list.length > 0) return;
    this.#versions.delete(key);
    this.#sorted.delete(there);
  }
}
