/**
 * A hash table that notices when an object of a JSON text has the same key twice, without making a string of any key.
 *
 * Keys are told apart by 64 bits of hash, so "was there" means "probably"; whoever asks looks again exactly. "Was not
 * there" is certain.
 *
 * @module
 */

const FNV = 0x01000193;

/** Slots of a table at its beginning, and those with which it may be used again. */
const FEW = 128;
const SOME = 4096;

/** The keys seen so far, of all objects of one text. */
export class KeyTable {
  #slots = new Int32Array(FEW);
  #count = 0;

  /** Forgets all keys; a table may be used for one text after the other. */
  clear(): void {
    this.#count = 0;
    if (this.#slots.length > SOME) this.#slots = new Int32Array(FEW);
    else this.#slots.fill(0);
  }

  /** How many different keys it holds. */
  get count(): number {
    return this.#count;
  }

  /** Adds the key `bytes[start..end)` of the object numbered `object`; whether it was probably there already. */
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
