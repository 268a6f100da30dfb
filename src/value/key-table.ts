/**
 * A hash table that finds duplicate keys in the objects of a JSON text without a string for any key.
 *
 * It compares hashes of 64 bits: equal hashes probably mean equal keys, which the caller checks exactly; different hashes
 * certainly mean different keys.
 *
 * @module
 */

const FNV = 0x01000193;

const INITIAL_SLOTS = 128;
/** The largest table that is kept for the next text. */
const MAX_KEPT_SLOTS = 4096;

/** The keys of all objects of one text. */
export class KeyTable {
  #slots = new Int32Array(INITIAL_SLOTS);
  #count = 0;

  /** Removes all keys, so that the table can be used for another text. */
  clear(): void {
    this.#count = 0;
    if (this.#slots.length > MAX_KEPT_SLOTS) this.#slots = new Int32Array(INITIAL_SLOTS);
    else this.#slots.fill(0);
  }

  /** The number of different keys. */
  get count(): number {
    return this.#count;
  }

  /** Adds the key `bytes[start..end)` of the object number `object`; returns whether it is probably a duplicate. */
  add(object: number, bytes: Uint8Array, start: number, end: number): boolean {
    let first = Math.imul(object, 0x9e3779b1) ^ 0x811c9dc5;
    let second = object;
    for (let at = start; at < end; at++) {
      const byte = bytes[at]!;
      first = Math.imul(first ^ byte, FNV);
      second = Math.imul(second, 31) + byte;
    }
    first ^= first >>> 15;
    second = Math.imul(second ^ (end - start), 0x85ebca6b) | 1; // zero marks a free slot
    if (this.#insert(first, second)) return true;
    if (++this.#count * 4 > this.#slots.length) this.#grow();
    return false;
  }

  #insert(first: number, second: number): boolean {
    const slots = this.#slots;
    const mask = slots.length - 2;
    for (let slot = (first << 1) & mask; ; slot = (slot + 2) & mask) {
      if (slots[slot + 1] === 0) {
        slots[slot] = first;
        slots[slot + 1] = second;
        return false;
      }
      if (slots[slot] === first && slots[slot + 1] === second) return true;
    }
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Int32Array(old.length * 4);
    for (let slot = 0; slot < old.length; slot += 2) {
      if (old[slot + 1] !== 0) this.#insert(old[slot]!, old[slot + 1]!);
    }
  }
}
