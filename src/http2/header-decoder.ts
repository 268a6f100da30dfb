/**
 * Decodes header blocks (HPACK, RFC 7541).
 *
 * Every block is read to its end, because the table of the connection depends on it. Fields above the limits are not kept. An invalid
 * field is reported and never left out: without `impersonate-user` the server would act as another user (RFC 9113 8.2.1).
 *
 * @module
 */
import { DEFAULT_TABLE_SIZE, ERROR } from "./constants.ts";
import { DynamicTable, bytesOf } from "./dynamic-table.ts";
import { ConnectionError } from "./errors.ts";
import { type HeaderField, headerField } from "./header-field.ts";
import { decodeHuffman } from "./huffman.ts";
import { STATIC_FIELDS } from "./static-table.ts";

/** Limits of a block. */
export interface HeaderLimits {
  /** Bytes of all names and values, each field with 32 more (RFC 9113 6.5.2, SETTINGS_MAX_HEADER_LIST_SIZE). */
  readonly listBytes: number;
  readonly listFields: number;
}

/** The fields of a block. */
export interface HeaderList {
  /** Names and values alternate, in their order; each character is a byte. Empty where the list is too large. */
  readonly fields: readonly string[];
  /** Whether the limits are exceeded. */
  readonly isTooLarge: boolean;
  /** The first invalid field. */
  readonly invalid: InvalidField | undefined;
}

/** A field that is invalid in a request. */
export interface InvalidField {
  /** Its name. */
  readonly field: string;
  readonly part: "name" | "value";
}

/** Bytes of an integer after its first one; longer integers have no use here. */
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

  /** Decodes a block. @throws ConnectionError for a malformed one, after which the table is unknown (RFC 7541 2.2) */
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

  /** Reads updates of the table's size, which come before all fields (RFC 7541 4.2). */
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

  /** An integer in the last bits of a byte and the bytes after it (RFC 7541 5.1). */
  #integer(bits: number): number {
    const max = (1 << bits) - 1;
    let value = this.#byte() & max;
    if (value < max) return value;
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

  /** A text, plain or in the Huffman code (RFC 7541 5.2); one that exceeds the list is an error. */
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
