/**
 * Header blocks of requests (HPACK, RFC 7541).
 *
 * What a connection has said once stands in the table of the server: from the second request of a path on, a block names each
 * field by a byte, and is the same bytes again.
 *
 * @module
 */
import { DEFAULT_TABLE_SIZE } from "../http2/constants.ts";
import { ENTRY_BYTES } from "../http2/dynamic-table.ts";
import { STATIC_FIELDS } from "../http2/static-table.ts";

/** How the literals begin: one that the server remembers, and one that it does not; and with how many bits an index goes on. */
const REMEMBERED = { first: 0x40, bits: 6 } as const;
const FORGOTTEN = { first: 0, bits: 4 } as const;
const INDEXED = { first: 0x80, bits: 7 } as const;
/** An update of the size of the table: to 0. */
const NO_TABLE = 0x20;

interface Field {
  readonly name: string;
  readonly value: string;
}

/** See the head of this file; each connection has one. */
export class RequestHeaders {
  readonly #fields: readonly Field[];
  /** Blocks by path, as long as nothing is added to the table. */
  readonly #blocks = new Map<string, Buffer>();
  /** What the server remembers, the oldest first. */
  #table: Field[] = [];
  /** Bytes that it may still remember. */
  #room = DEFAULT_TABLE_SIZE;
  #mustShrink = false;

  /** @param fields of every request beside its path, those of HTTP/2 itself (`:method`) first */
  constructor(fields: Readonly<Record<string, string>>) {
    this.#fields = Object.entries(fields).map(([name, value]) => ({ name, value }));
  }

  /** The block of a request; to be sent before the next one is asked for. */
  block(path: string): Buffer {
    const known = this.#blocks.get(path);
    if (known) return known;
    const said = this.#table.length;
    const bytes: number[] = this.#mustShrink ? [NO_TABLE] : [];
    this.#add(bytes, { name: ":path", value: path });
    for (const field of this.#fields) this.#add(bytes, field);
    const block = Buffer.from(bytes);
    // Places in the table are counted from its newest entry.
    if (this.#table.length > said) this.#blocks.clear();
    else if (!this.#mustShrink) this.#blocks.set(path, block);
    this.#mustShrink = false;
    return block;
  }

  /** The server takes a table of so many bytes: with less than the usual ones it is told nothing to remember. */
  tableSize(bytes: number): void {
    if (bytes >= DEFAULT_TABLE_SIZE) return;
    this.#table = [];
    this.#room = 0;
    this.#blocks.clear();
    this.#mustShrink = true;
  }

  #add(bytes: number[], field: Field): void {
    const { name, value } = field;
    const is = (other: Field | undefined): boolean => other?.name === name && other.value === value;
    const known = STATIC_FIELDS.findIndex(is);
    if (known > 0) return integer(bytes, known, INDEXED);
    const place = this.#table.findIndex(is);
    if (place >= 0) return integer(bytes, STATIC_FIELDS.length + this.#table.length - 1 - place, INDEXED);
    const size = name.length + value.length + ENTRY_BYTES;
    const isRemembered = size <= this.#room;
    const named = Math.max(
      0,
      STATIC_FIELDS.findIndex((other) => other?.name === name),
    );
    integer(bytes, named, isRemembered ? REMEMBERED : FORGOTTEN);
    if (named === 0) text(bytes, name);
    text(bytes, value);
    if (!isRemembered) return;
    this.#table.push(field);
    this.#room -= size;
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
  const most = (1 << bits) - 1;
  if (value < most) {
    bytes.push(first | value);
    return;
  }
  bytes.push(first | most);
  let rest = value - most;
  for (; rest >= 128; rest >>>= 7) bytes.push((rest & 127) | 128);
  bytes.push(rest);
}
