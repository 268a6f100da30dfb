/**
 * Maps and sets of short-lived entries: running requests, locks, queues.
 *
 * A `Map` of V8 that is full moves to a new table, and the old table points to the new one. A table that has survived a full
 * garbage collection lives until the next one, and keeps alive all later tables with every entry that they ever had. The
 * classes here start with a new `Map` so often that no such chain gets long.
 *
 * Where most entries are long-lived, a `Map` is right. An iteration during which entries are added may return entries that
 * were deleted meanwhile, and does not return the added ones.
 *
 * @module
 */

/** How many entries are added before a new `Map`; at least as many as are copied, so that an addition takes constant time. */
const ADDITIONS_PER_MAP = 100;

/** A map of short-lived entries; see the head of this file. */
export class ShortLivedMap<K, V> {
  #map = new Map<K, V>();
  #left = ADDITIONS_PER_MAP;

  get size(): number {
    return this.#map.size;
  }

  get(key: K): V | undefined {
    return this.#map.get(key);
  }

  set(key: K, value: V): void {
    if (--this.#left < 0) {
      this.#map = new Map(this.#map);
      this.#left = Math.max(ADDITIONS_PER_MAP, this.#map.size);
    }
    this.#map.set(key, value);
  }

  /** Deletes an entry; returns whether it was there. */
  delete(key: K): boolean {
    return this.#map.delete(key);
  }

  clear(): void {
    if (this.#map.size > 0) this.#map = new Map();
    this.#left = ADDITIONS_PER_MAP;
  }

  /** Returns the keys in the order in which they were added. */
  keys(): MapIterator<K> {
    return this.#map.keys();
  }

  values(): MapIterator<V> {
    return this.#map.values();
  }

  [Symbol.iterator](): MapIterator<[K, V]> {
    return this.#map.entries();
  }
}

/** A set of short-lived members; see the head of this file. */
export class ShortLivedSet<T> {
  readonly #members = new ShortLivedMap<T, true>();

  get size(): number {
    return this.#members.size;
  }

  add(member: T): void {
    this.#members.set(member, true);
  }

  /** Deletes a member; returns whether it was there. */
  delete(member: T): boolean {
    return this.#members.delete(member);
  }

  has(member: T): boolean {
    return this.#members.get(member) === true;
  }

  [Symbol.iterator](): MapIterator<T> {
    return this.#members.keys();
  }
}
