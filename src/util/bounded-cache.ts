/**
 * A cache whose bound is what it weighs: so many entries and so many bytes at most, keys and all.
 *
 *     set a b c          a ─ b ─ c          the one that was not used for longest is first
 *     get a              b ─ c ─ a
 *     set d, too much    c ─ a ─ d          b makes room
 *
 * Reading and writing cost the same however much it holds. (A Map alone does not serve: what is deleted at its front leaves
 * holes, and whoever looks for its first entry walks over all of them.)
 *
 * @module
 */
import { flatCopy } from "./flat-copy.ts";

/** What a cache may hold. */
export interface CacheBounds<V> {
  /** Entries at most. */
  readonly entries: number;
  /** Bytes at most, of keys that are texts, of values, and of what an entry costs beside them. */
  readonly bytes: number;
  /** What a value weighs, in bytes, when it is set; nothing by default: it is a few words, or somebody else holds it, too. */
  readonly weigh?: (value: V) => number;
}

/** What an entry costs beside its key and its value: its own fields, and its place in the index. */
const ENTRY_BYTES = 128;

/** What a text takes in memory at most, in bytes. */
export const textBytes = (text: string): number => 2 * text.length + 16;

interface Entry<K, V> {
  readonly key: K;
  value: V;
  weight: number;
  before: Entry<K, V>;
  after: Entry<K, V>;
}

/** See the head of this file. Keys that are texts are copied: the cache keeps nothing alive that they were cut from. */
export class BoundedCache<V, K = string> {
  readonly #bounds: CacheBounds<V>;
  readonly #entries = new Map<K, Entry<K, V>>();
  /** Before the first and after the last entry. */
  readonly #end: Entry<K, V>;
  #bytes = 0;

  constructor(bounds: CacheBounds<V>) {
    this.#bounds = bounds;
    const end = { weight: 0 } as Entry<K, V>;
    end.before = end.after = end;
    this.#end = end;
  }

  /** How many entries there are. */
  get size(): number {
    return this.#entries.size;
  }

  /** What they weigh together. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The value of a key; it is now the one that was used last. */
  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    if (entry.after !== this.#end) {
      unlink(entry);
      this.#append(entry);
    }
    return entry.value;
  }

  /** Keeps a value, and gives up others for it; one that weighs more than all may is not kept. */
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

  /** Forgets a key; whether it was there. */
  delete(key: K): boolean {
    const entry = this.#entries.get(key);
    if (!entry) return false;
    this.#drop(entry);
    return true;
  }

  /** Forgets those that were not used for longest, as long as their values are over. */
  trim(isOver: (value: V) => boolean): void {
    while (this.#entries.size > 0 && isOver(this.#end.after.value)) this.#drop(this.#end.after);
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
    // It leads to nobody any more: an old one that nobody has would keep alive those that came after it.
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
