/**
 * A least-recently-used cache that is bounded in entries and in bytes, its keys included.
 *
 *     set a b c          a ─ b ─ c          the least recently used entry is first
 *     get a              b ─ c ─ a
 *     set d, too much    c ─ a ─ d          b is evicted
 *
 * Reads and writes take constant time. (A Map alone does not: entries that are deleted at its front leave holes, and a search
 * for the first entry walks over all of them.)
 *
 * @module
 */
import { flatCopy } from "./flat-copy.ts";

/** The bounds of a cache. */
export interface CacheBounds<V> {
  /** The largest number of entries. */
  readonly entries: number;
  /** The largest number of bytes of keys that are texts, of values, and of the entries themselves. */
  readonly bytes: number;
  /** The bytes of a value when it is set; 0 by default, for values that are small or that others hold, too. */
  readonly weigh?: (value: V) => number;
}

/** The bytes of an entry without its key and its value. */
const ENTRY_BYTES = 128;

/** Returns the largest number of bytes that a text takes in memory. */
export const textBytes = (text: string): number => 2 * text.length + 16;

interface Entry<K, V> {
  readonly key: K;
  value: V;
  weight: number;
  before: Entry<K, V>;
  after: Entry<K, V>;
}

/** See the head of this file. Keys that are texts are copied, so that they keep no longer text alive. */
export class BoundedCache<V, K = string> {
  readonly #bounds: CacheBounds<V>;
  readonly #entries = new Map<K, Entry<K, V>>();
  /** The sentinel before the first and after the last entry. */
  readonly #end: Entry<K, V>;
  #bytes = 0;

  constructor(bounds: CacheBounds<V>) {
    this.#bounds = bounds;
    const end = { weight: 0 } as Entry<K, V>;
    end.before = end.after = end;
    this.#end = end;
  }

  /** The number of entries. */
  get size(): number {
    return this.#entries.size;
  }

  /** The bytes of all entries. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Returns the values, the least recently used one first. */
  *values(): Generator<V> {
    for (let entry = this.#end.after; entry !== this.#end; entry = entry.after) yield entry.value;
  }

  /** Returns the value of a key, which becomes the most recently used one. */
  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    if (entry.after !== this.#end) {
      unlink(entry);
      this.#append(entry);
    }
    return entry.value;
  }

  /** Stores a value and evicts others for it; a value that is larger than the cache is not stored. */
  set(key: K, value: V): void {
    const { bytes, entries, weigh } = this.#bounds;
    this.delete(key);
    const weight = ENTRY_BYTES + (typeof key === "string" ? textBytes(key) : 0) + (weigh?.(value) ?? 0);
    if (weight > bytes) return;
    while (this.#entries.size >= entries || this.#bytes + weight > bytes) this.#drop(this.#end.after);
    const own = typeof key === "string" ? (flatCopy(key) as K) : key;
    const entry: Entry<K, V> = { key: own, value, weight, before: this.#end, after: this.#end };
    this.#entries.set(own, entry);
    this.#bytes += weight;
    this.#append(entry);
  }

  /** Removes a key; returns whether it was there. */
  delete(key: K): boolean {
    const entry = this.#entries.get(key);
    if (!entry) return false;
    this.#drop(entry);
    return true;
  }

  /** Removes the least recently used entries for as long as their values have expired. */
  trim(isExpired: (value: V) => boolean): void {
    while (this.#entries.size > 0 && isExpired(this.#end.after.value)) this.#drop(this.#end.after);
  }

  #append(entry: Entry<K, V>): void {
    const end = this.#end;
    entry.before = end.before;
    entry.after = end;
    end.before.after = entry;
    end.before = entry;
  }

  #drop(entry: Entry<K, V>): void {
    unlink(entry);
    // A removed entry of the old generation would keep alive the entries that it points to.
    entry.before = entry.after = entry;
    this.#entries.delete(entry.key);
    this.#bytes -= entry.weight;
  }
}

function unlink({ before, after }: { readonly before: Link; readonly after: Link }): void {
  before.after = after;
  after.before = before;
}

interface Link {
  before: Link;
  after: Link;
}
