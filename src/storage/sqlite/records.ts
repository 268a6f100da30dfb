/**
 * Packs records for the transfer from the writer thread to the main thread.
 *
 * One buffer contains the bytes of all keys and values; another one five numbers for each record (bytes of the key, bytes of the
 * value, revision, previous revision, kind). Both are transferred, not copied.
 *
 * @module
 */
import type { StoredRecord, StoreEvent } from "../contract.ts";
import { DELETE_ROW } from "./protocol.ts";

const NUMBERS = 5;

/** Packs records in the writer thread. */
export class RecordPacker {
  #bytes: Uint8Array<ArrayBuffer>;
  #used = 0;
  readonly #rows: number[] = [];

  /** @param capacity expected bytes; the buffer grows when they are exceeded */
  constructor(capacity: number) {
    this.#bytes = new Uint8Array(capacity);
  }

  /** Bytes of keys and values so far. */
  get bytes(): number {
    return this.#used;
  }

  /** Records so far. */
  get count(): number {
    return this.#rows.length / NUMBERS;
  }

  add(key: Uint8Array, value: Uint8Array, revision: number, previous: number, kind: number): void {
    const end = this.#used + key.length + value.length;
    if (end > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(end, this.#bytes.length * 2));
      larger.set(this.#bytes.subarray(0, this.#used));
      this.#bytes = larger;
    }
    this.#bytes.set(key, this.#used);
    this.#bytes.set(value, this.#used + key.length);
    this.#rows.push(key.length, value.length, revision, previous, kind);
    this.#used = end;
  }

  /** Returns the two buffers; the packer cannot be used afterwards. */
  finish(): { buffer: ArrayBuffer; rows: Float64Array<ArrayBuffer> } {
    // Values of a small reply may stay long in a cache; they must not keep a large, mostly empty buffer.
    const fits = this.#used * 2 >= this.#bytes.length;
    const bytes = fits ? this.#bytes : this.#bytes.slice(0, this.#used);
    return { buffer: bytes.buffer, rows: new Float64Array(this.#rows) };
  }
}

/** The records of a reply; values are views of its buffer. */
export function unpackRecords(buffer: ArrayBuffer, rows: Float64Array): StoredRecord[] {
  const bytes = Buffer.from(buffer);
  const result: StoredRecord[] = [];
  let offset = 0;
  for (let at = 0; at < rows.length; at += NUMBERS) {
    const middle = offset + rows[at]!;
    const end = middle + rows[at + 1]!;
    const key = bytes.toString("utf8", offset, middle);
    result.push({ key, value: bytes.subarray(middle, end), revision: rows[at + 2]! });
    offset = end;
  }
  return result;
}

/** The changes of a reply; values are views of its buffer. */
export function unpackEvents(buffer: ArrayBuffer, rows: Float64Array): StoreEvent[] {
  return unpackRecords(buffer, rows).map(({ key, value, revision }, i) => ({
    type: rows[i * NUMBERS + 4] === DELETE_ROW ? "delete" : "put",
    key,
    revision,
    value,
    previousRevision: rows[i * NUMBERS + 3]!,
  }));
}
