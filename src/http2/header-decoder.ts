/**
 * Reads header blocks (HPACK, RFC 7541).
 *
 * A block is read to its end whatever it says, since the table of the connection follows from all of it. What is over the
 * limits is not kept. A field that no request may have is reported and never left out: a server that does not see
 * `impersonate-user` would answer as somebody else (RFC 9113 8.2.1).
 *
 * @module
 */
import { DEFAULT_TABLE_SIZE, ERROR } from "./constants.ts";
import { DynamicTable, bytesOf } from "./dynamic-table.ts";
import { ConnectionError } from "./errors.ts";
import { type HeaderField, headerField } from "./header-field.ts";
import { decodeHuffman } from "./huffman.ts";
import { STATIC_FIELDS } from "./static-table.ts";

/** How much a block may say. */
export interface HeaderLimits {
  /** Bytes of all names and values, each field with 32 more (RFC 9113 6.5.2, SETTINGS_MAX_HEADER_LIST_SIZE). */
  readonly listBytes: number;
  readonly listFields: number;
}

/** What a block says. */
export interface HeaderList {
  /** Names and values in turn, in their order; each character is a byte. Empty where the list is too large. */
  readonly fields: readonly string[];
  /** Whether it is over the limits. */
  readonly isTooLarge: boolean;
  /** The first field that no request may have. */
  readonly invalid: InvalidField | undefined;
}

/** A field that no request may have. */
export interface InvalidField {
  /** Its name. */
  readonly field: string;
  /** What is wrong. */
  readonly part: "name" | "value";
}

/** Bytes of an integer beyond its first one: more of them say numbers that nothing here can be. */
const INTEGER_BYTES = 4;
const NOTHING = Buffer.alloc(0);

/** See the head of this file; each connection has one. */
export class HeaderDecoder {
  readonly #limits: HeaderLimits;
  readonly #table = new DynamicTable(DEFAULT_TABLE_SIZE);
  #block: Buffer = NOTHING;
  #at = 0;
  #end = 0;
  #fields: string[] = [];
  #bytes = 0;
  #isTooLarge = false;
  #invalid: InvalidField | undefined = undefined;

  constructor(limits: HeaderLimits) {
    this.#limits = limits;
  }

  /**
   * Reads a whole block.
   *
   * @throws ConnectionError where it is malformed: the table of the connection is unknown from then on (RFC 7541 2.2)
   */
  decode(block: Buffer, from: number, to: number): HeaderList {
    this.#block = block;
    this.#at = from;
    this.#end = to;
    this.#fields = [];
    this.#bytes = 0;
    this.#isTooLarge = false;
    this.#invalid = undefined;
    this.#sizeUpdates();
    while (this.#at < to) this.#add(this.#next());
    this.#block = NOTHING;
    return { fields: this.#fields, isTooLarge: this.#isTooLarge, invalid: this.#invalid };
  }

  /** Updates of the table's size stand before all fields (RFC 7541 4.2). */
  #sizeUpdates(): void {
    while (this.#at < this.#end && (this.#block[this.#at]! & 0xe0) === 0x20) {
      const size = this.#integer(5);
      if (size > DEFAULT_TABLE_SIZE)
        throw malformed(`expected a table of ${DEFAULT_TABLE_SIZE} bytes at most, got ${size}`);
      this.#table.resize(size);
    }
  }

  #next(): HeaderField {
    const first = this.#block[this.#at]!;
    if (first & 0x80) return this.#indexed(this.#integer(7));
    if (first & 0x40) {
      const field = this.#literal(6);
      this.#table.add(field);
      return field;
    }
    if (first & 0x20) throw malformed("expected the size of the table before all fields");
    return this.#literal(4);
  }

  #add(field: HeaderField): void {
    if (field.invalid !== undefined) this.#invalid ??= { field: field.name, part: field.invalid };
    if (this.#isTooLarge) return;
    this.#bytes += bytesOf(field);
    if (this.#bytes <= this.#limits.listBytes && this.#fields.length < 2 * this.#limits.listFields) {
      this.#fields.push(field.name, field.value);
      return;
    }
    this.#isTooLarge = true;
    this.#fields = [];
  }

  #indexed(index: number): HeaderField {
    const field = index < STATIC_FIELDS.length ? STATIC_FIELDS[index] : this.#table.at(index - STATIC_FIELDS.length);
    if (!field) throw malformed(`expected the index of a field, got ${index}`);
    return field;
  }

  #literal(bits: number): HeaderField {
    const index = this.#integer(bits);
    const name = index === 0 ? this.#text() : this.#indexed(index).name;
    return headerField(name, this.#text());
  }

  /** An integer whose first bits are the last ones of a byte (RFC 7541 5.1). */
  #integer(bits: number): number {
    const most = (1 << bits) - 1;
    let value = this.#byte() & most;
    if (value < most) return value;
    for (let i = 0; i < INTEGER_BYTES; i++) {
      const byte = this.#byte();
      value += (byte & 0x7f) << (7 * i);
      if (byte < 0x80) return value;
    }
    throw malformed("expected an integer of five bytes at most");
  }

  #byte(): number {
    if (this.#at >= this.#end) throw malformed("expected more bytes in the header block");
    return this.#block[this.#at++]!;
  }

  /** A text, plain or in the Huffman code (RFC 7541 5.2); one that no list has room for is none that anybody reads. */
  #text(): string {
    const isHuffman = (this.#block[this.#at]! & 0x80) !== 0;
    const length = this.#integer(7);
    const from = this.#at;
    if (length > this.#end - from) throw malformed("expected a text to end within the header block");
    this.#at += length;
    const text = isHuffman
      ? decodeHuffman(this.#block, from, this.#at)
      : this.#block.toString("latin1", from, this.#at);
    if (text === undefined) throw malformed("expected a text in the Huffman code");
    const { listBytes } = this.#limits;
    if (text.length > listBytes) throw malformed(`expected a text of ${listBytes} bytes at most, got ${text.length}`);
    return text;
  }
}

const malformed = (message: string): ConnectionError => new ConnectionError(ERROR.compression, message);
