/**
 * Header blocks of requests (HPACK, RFC 7541).
 *
 * A field that was sent once is in the server's table: from the second request of a path on, a block has one byte for each
 * field, and is the same bytes again.
 *
 * @module
 */
import { DEFAULT_TABLE_SIZE } from "../http2/constants.ts";
import { ENTRY_BYTES } from "../http2/dynamic-table.ts";
import { STATIC_FIELDS } from "../http2/static-table.ts";

/** The forms of a field, by their first bits and the bits that are left for an index (RFC 7541 6). */
const WITH_INDEXING = { first: 0x40, bits: 6 } as const;
const WITHOUT_INDEXING = { first: 0, bits: 4 } as const;
const INDEXED = { first: 0x80, bits: 7 } as const;
/** An update of the table size to 0. */
const NO_TABLE = 0x20;

interface Field {
  readonly name: string;
  readonly value: string;
}

/** See the head of this file; each connection has one. */
export class RequestHeaders {
  readonly #fields: readonly Field[];
  /** Blocks by path, until the table changes. */
  readonly #blocks = new Map<string, Buffer>();
  /** The table of the server, the oldest field first. */
  #table: Field[] = [];
  /** Free bytes of the table. */
  #freeBytes = DEFAULT_TABLE_SIZE;
  #mustShrink = false;

  /** @param fields of every request but its path, pseudo-header fields (`:method`) first */
  constructor(fields: Readonly<Record<string, string>>) {
    this.#fields = Object.entries(fields).map(([name, value]) => ({ name, value }));
  }

  /** The block of a request; send it before the next call. `metadata`, by lower-case names, is of this request alone. */
  block(path: string, metadata?: Readonly<Record<string, string>>): Buffer {
    const block = this.#blockOf(path);
    if (!metadata) return block;
    const more: number[] = [];
    for (const [name, value] of Object.entries(metadata)) {
      integer(more, 0, WITHOUT_INDEXING);
      text(more, name);
      text(more, value);
    }
    return Buffer.concat([block, Buffer.from(more)]);
  }

  #blockOf(path: string): Buffer {
    const known = this.#blocks.get(path);
    if (known) return known;
    const { length } = this.#table;
    const bytes: number[] = this.#mustShrink ? [NO_TABLE] : [];
    this.#add(bytes, { name: ":path", value: path });
    for (const field of this.#fields) this.#add(bytes, field);
    const block = Buffer.from(bytes);
    // An index counts from the newest entry.
    if (this.#table.length > length) this.#blocks.clear();
    else if (!this.#mustShrink) this.#blocks.set(path, block);
    this.#mustShrink = false;
    return block;
  }

  /** Applies SETTINGS_HEADER_TABLE_SIZE; a table smaller than the default one is not used at all. */
  tableSize(bytes: number): void {
    if (bytes >= DEFAULT_TABLE_SIZE) return;
    this.#table = [];
    this.#freeBytes = 0;
    this.#blocks.clear();
    this.#mustShrink = true;
  }

  #add(bytes: number[], field: Field): void {
    const { name, value } = field;
    const is = (other: Field | undefined): boolean => other?.name === name && other.value === value;
    const known = STATIC_FIELDS.findIndex(is);
    if (known > 0) return integer(bytes, known, INDEXED);
    const index = this.#table.findIndex(is);
    if (index >= 0) return integer(bytes, STATIC_FIELDS.length + this.#table.length - 1 - index, INDEXED);
    const size = name.length + value.length + ENTRY_BYTES;
    const isAdded = size <= this.#freeBytes;
    const named = Math.max(
      0,
      STATIC_FIELDS.findIndex((other) => other?.name === name),
    );
    integer(bytes, named, isAdded ? WITH_INDEXING : WITHOUT_INDEXING);
    if (named === 0) text(bytes, name);
    text(bytes, value);
    if (!isAdded) return;
    this.#table.push(field);
    this.#freeBytes -= size;
  }
}

/** A text without the Huffman code (RFC 7541 5.2). */
function text(bytes: number[], value: string): void {
  const encoded = Buffer.from(value);
  integer(bytes, encoded.length, { first: 0, bits: 7 });
  bytes.push(...encoded);
}

/** An integer behind the first bits of a byte (RFC 7541 5.1). */
function integer(bytes: number[], value: number, { first, bits }: { first: number; bits: number }): void {
  const max = (1 << bits) - 1;
  if (value < max) {
    bytes.push(first | value);
    return;
  }
  bytes.push(first | max);
  let rest = value - max;
  for (; rest >= 128; rest >>>= 7) bytes.push((rest & 127) | 128);
  bytes.push(rest);
}
