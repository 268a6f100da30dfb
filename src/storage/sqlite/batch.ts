/**
 * A batch of writes in one buffer: transactions of one write or more, one after the other.
 *
 * Layout: first four float64 for each write (kind, bytes of the key, bytes of the value, expected revision), then the bytes of
 * each write, key and value. The kind of a write contains {@link KINDS} times the number of later writes of its transaction.
 * The writer thread replaces the first two numbers of a write by its outcome and revision.
 *
 * @module
 */
import type { Write } from "../contract.ts";
import { CREATE, DELETE, LEAVE, UPDATE } from "./protocol.ts";

const NUMBERS = 4;
const KINDS = 4;
const NO_BYTES = new Uint8Array(0);
/** A larger buffer is not kept for the next batch. */
const KEEP_BYTES = 1 << 20;

/** Writes that are applied together. */
interface Transaction {
  readonly writes: readonly Write[];
}

/** Packs transactions with `count` writes into `spare` if it is large enough, else into a new buffer. */
export function packBatch(batch: readonly Transaction[], count: number, spare: ArrayBuffer | undefined): ArrayBuffer {
  let offset = count * NUMBERS * 8;
  const size = offset + maxBytes(batch);
  const buffer = spare !== undefined && spare.byteLength >= size ? spare : new ArrayBuffer(roundUp(size));
  const numbers = new Float64Array(buffer, 0, count * NUMBERS);
  const bytes = Buffer.from(buffer);
  let at = 0;
  for (const { writes } of batch) {
    let following = writes.length;
    for (const write of writes) {
      const keyBytes = bytes.write(write.key, offset, "utf8");
      bytes.set(write.value, offset + keyBytes);
      numbers[at] = kindOf(write) + KINDS * --following;
      numbers[at + 1] = keyBytes;
      numbers[at + 2] = write.value.length;
      numbers[at + 3] = write.type === "create" ? 0 : write.expected;
      offset += keyBytes + write.value.length;
      at += NUMBERS;
    }
  }
  return buffer;
}

/** The maximum size of keys and values: a UTF-16 code unit needs at most three bytes of UTF-8. */
function maxBytes(batch: readonly Transaction[]): number {
  let bytes = 0;
  for (const { writes } of batch) for (const { key, value } of writes) bytes += key.length * 3 + value.length;
  return bytes;
}

function kindOf(write: Write): number {
  if (write.type === "create") return CREATE;
  if (write.type === "delete") return DELETE;
  return write.leaves === true ? LEAVE : UPDATE;
}

/** Whether a returned buffer is kept for the next batch. */
export function worthKeeping(buffer: ArrayBuffer): boolean {
  return buffer.byteLength <= KEEP_BYTES;
}

/** The outcome of write `i` of a returned batch: WRITTEN, REFUSED or NO_SPACE. */
export function outcomeOf(numbers: Float64Array, i: number): number {
  return numbers[i * NUMBERS]!;
}

/** The revision of write `i`, or the current one of its key when it was refused. */
export function revisionOf(numbers: Float64Array, i: number): number {
  return numbers[i * NUMBERS + 1]!;
}

/** Reads a batch in the writer thread; its fields are those of the current write. */
export class BatchCursor {
  kind = CREATE;
  expected = 0;
  /** Views of the batch; `row` spans key and value. */
  key: Uint8Array = NO_BYTES;
  value: Uint8Array = NO_BYTES;
  row: Uint8Array = NO_BYTES;
  readonly #count: number;
  readonly #buffer: ArrayBuffer;
  readonly #numbers: Float64Array;
  #index = -1;
  #offset: number;

  constructor(buffer: ArrayBuffer, count: number) {
    this.#count = count;
    this.#buffer = buffer;
    this.#numbers = new Float64Array(buffer, 0, count * NUMBERS);
    this.#offset = count * NUMBERS * 8;
  }

  /** The index of the current write. */
  get index(): number {
    return this.#index;
  }

  /** The number of writes after the current one. */
  get left(): number {
    return this.#count - this.#index - 1;
  }

  /** A copy of the cursor at its position. */
  copy(): BatchCursor {
    const copy = new BatchCursor(this.#buffer, this.#count);
    copy.#index = this.#index;
    copy.#offset = this.#offset;
    return copy;
  }

  /** The number of writes of the next transaction. */
  get group(): number {
    return 1 + Math.floor(this.#numbers[(this.#index + 1) * NUMBERS]! / KINDS);
  }

  /** The number of writes of the next transactions: one, or as many as have at most `count` writes of `bytes`. */
  ahead(count: number, bytes: number): number {
    let sum = 0;
    let whole = 0;
    for (let i = 0; i < this.left; i++) {
      const at = (this.#index + 1 + i) * NUMBERS;
      sum += this.#numbers[at + 1]! + this.#numbers[at + 2]!;
      if (whole > 0 && (i >= count || sum > bytes)) break;
      if (this.#numbers[at]! < KINDS) whole = i + 1;
    }
    return whole;
  }

  /** Moves over `count` writes. */
  skip(count: number): void {
    for (let i = 0; i < count; i++) this.next();
  }

  /** Moves to the next write; false after the last one. */
  next(): boolean {
    this.#index += 1;
    if (this.#index >= this.#count) return false;
    const at = this.#index * NUMBERS;
    const keyBytes = this.#numbers[at + 1]!;
    const valueBytes = this.#numbers[at + 2]!;
    this.kind = this.#numbers[at]! % KINDS;
    this.expected = this.#numbers[at + 3]!;
    this.row = new Uint8Array(this.#buffer, this.#offset, keyBytes + valueBytes);
    this.key = this.row.subarray(0, keyBytes);
    this.value = this.row.subarray(keyBytes);
    this.#offset += keyBytes + valueBytes;
    return true;
  }
}

/** Writes the outcomes of a batch into its buffer; `outcomes` has two numbers for each write. */
export function fillOutcomes(buffer: ArrayBuffer, count: number, outcomes: Float64Array): void {
  const numbers = new Float64Array(buffer, 0, count * NUMBERS);
  for (let i = 0; i < count; i++) {
    numbers[i * NUMBERS] = outcomes[i * 2]!;
    numbers[i * NUMBERS + 1] = outcomes[i * 2 + 1]!;
  }
}

function roundUp(size: number): number {
  return Math.max(4096, 2 ** Math.ceil(Math.log2(size)));
}
