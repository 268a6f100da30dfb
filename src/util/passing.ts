/**
 * Maps and sets of what stays for a moment: requests under way, locks that are held, whose turn it is.
 *
 * A `Map` of the engine that has been filled up moves to a new table, and the old table leads to the new one. A table that was
 * in use during a full collection lives until the next full one, although nobody has it any more, and with it all tables that
 * came after it, with everything that was ever in them: what should be gone at once is copied and kept, request by request.
 * The ones here begin with a fresh `Map` so often that no such chain gets long.
 *
 * They are for what comes and goes. Where most of it stays, a `Map` is right. Who goes through one and adds to it meanwhile may
 * meet what has been taken out since, and does not meet what was added.
 *
 * @module
 */

/** So much is added before a fresh one is begun; at least as much as is carried over, so that adding costs the same always. */
const RENEWED_AFTER = 100;

/** A map whose entries stay for a moment; see the head of this file. */
export class PassingMap<K, V> {
  #map = new Map<K, V>();
  #left = RENEWED_AFTER;

  get size(): number {
    return this.#map.size;
  }

  get(key: K): V | undefined {
    return this.#map.get(key);
  }

  set(key: K, value: V): void {
    if (--this.#left < 0) {
      this.#map = new Map(this.#map);
      this.#left = Math.max(RENEWED_AFTER, this.#map.size);
    }
    this.#map.set(key, value);
  }

  /** Takes an entry out; whether it was there. */
  delete(key: K): boolean {
    return this.#map.delete(key);
  }

  clear(): void {
    if (this.#map.size > 0) this.#map = new Map();
    this.#left = RENEWED_AFTER;
  }

  /** What is there, in the order in which it was added. */
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

/** A set whose members stay for a moment; see the head of this file. */
export class PassingSet<T> {
  readonly #members = new PassingMap<T, true>();

  get size(): number {
    return this.#members.size;
  }

  add(member: T): void {
    this.#members.set(member, true);
  }

  /** Takes a member out; whether it was there. */
  delete(member: T): boolean {
    return this.#members.delete(member);
  }

  has(member: T): boolean {
    return this.#members.get(member) === true;
  }

  /** What is there, in the order in which it was added. */
  [Symbol.iterator](): MapIterator<T> {
    return this.#members.keys();
  }
}
