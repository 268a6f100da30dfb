const NOTHING = Buffer.alloc(0);

/** Bytes that arrive in parts of any size; it uses at most twice the memory of the bytes so far. */
export class BoundedBuffer {
  readonly maxBytes: number;
  #bytes: Buffer = NOTHING;
  #length = 0;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  /** Adds a copy of a part; returns false where the bytes exceed the limit with it. */
  add(part: Buffer): boolean {
    const length = this.#length + part.length;
    if (length > this.maxBytes) return false;
    if (length > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.#bytes.length));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    part.copy(this.#bytes, this.#length);
    this.#length = length;
    return true;
  }

  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }
}
