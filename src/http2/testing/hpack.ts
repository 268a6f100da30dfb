/**
 * Header compression for clients and checks of tests, written from RFC 7541 alone.
 *
 * @module
 */
import { huffmanDecode, huffmanEncode } from "./huffman-code.ts";

/** A header field with one character for each byte. */
export type Field = readonly [name: string, value: string];

/** Says why a header block is invalid (RFC 7541 2.2). */
export class HpackError extends Error {
  override readonly name = "HpackError";
}

const STATIC: readonly Field[] = `:authority
:method GET
:method POST
:path /
:path /index.html
:scheme http
:scheme https
:status 200
:status 204
:status 206
:status 304
:status 400
:status 404
:status 500
accept-charset
accept-encoding gzip, deflate
accept-language
accept-ranges
accept
access-control-allow-origin
age
allow
authorization
cache-control
content-disposition
content-encoding
content-language
content-length
content-location
content-range
content-type
cookie
date
etag
expect
expires
from
host
if-match
if-modified-since
if-none-match
if-range
if-unmodified-since
last-modified
link
location
max-forwards
proxy-authenticate
proxy-authorization
range
referer
refresh
retry-after
server
set-cookie
strict-transport-security
transfer-encoding
user-agent
vary
via
www-authenticate`
  .split("\n")
  .map((line): Field => {
    const at = line.indexOf(" ");
    return at < 0 ? [line, ""] : [line.slice(0, at), line.slice(at + 1)];
  });

/** The size of a field (RFC 7541 4.1). */
export const sizeOf = ([name, value]: Field): number => name.length + value.length + 32;

/** The dynamic table of one direction (RFC 7541 2.3). */
export class HpackTable {
  /** The fields, the newest first. */
  readonly entries: Field[] = [];
  size = 0;
  max: number;

  constructor(max: number) {
    this.max = max;
  }

  add(field: Field): void {
    this.entries.unshift(field);
    this.size += sizeOf(field);
    this.#evict();
  }

  resize(max: number): void {
    this.max = max;
    this.#evict();
  }

  /** Returns the field of an index; undefined where there is none. */
  at(index: number): Field | undefined {
    return index <= STATIC.length ? STATIC[index - 1] : this.entries[index - STATIC.length - 1];
  }

  /** Returns the index of a field, or of one with the same name; 0 where there is none. */
  find([name, value]: Field, nameOnly = false): number {
    const fits = (one: Field): boolean => one[0] === name && (nameOnly || one[1] === value);
    const fixed = STATIC.findIndex(fits);
    if (fixed >= 0) return fixed + 1;
    const own = this.entries.findIndex(fits);
    return own < 0 ? 0 : own + STATIC.length + 1;
  }

  #evict(): void {
    while (this.size > this.max) this.size -= sizeOf(this.entries.pop()!);
  }
}

/** Longer integers are refused, as RFC 7541 5.1 permits. */
const MOST_INTEGER_BYTES = 5;

/** Decodes the header blocks of one direction. */
export class HpackDecoder {
  readonly table: HpackTable;
  /** The maximum size of the table, and the size that the next block must set first. */
  #limit: number;
  #due: number | undefined = undefined;
  #bytes: Uint8Array = new Uint8Array(0);
  #at = 0;
  /** The length of the longest text of the last block. */
  longestText = 0;

  constructor(limit = 4096) {
    this.#limit = limit;
    this.table = new HpackTable(limit);
  }

  /**
   * Applies an announced size. A larger table must be reduced at the beginning of
   * the next block (RFC 9113 4.3.1; as strictly as nghttp2).
   */
  limit(bytes: number): void {
    this.#limit = bytes;
    if (bytes < this.table.max) this.#due = Math.min(bytes, this.#due ?? bytes);
  }

  /** @throws HpackError for an invalid block */
  decode(bytes: Uint8Array): Field[] {
    this.#bytes = bytes;
    this.#at = 0;
    this.longestText = 0;
    this.#sizes();
    const fields: Field[] = [];
    while (this.#at < bytes.length) fields.push(this.#field());
    return fields;
  }

  #sizes(): void {
    for (; this.#at < this.#bytes.length && this.#bytes[this.#at]! >> 5 === 1; this.#due = undefined) {
      const size = this.#integer(5);
      if (size > (this.#due ?? this.#limit)) throw new HpackError(`a table of ${size} bytes`);
      this.table.resize(size);
    }
    if (this.#due !== undefined) throw new HpackError(`no table of ${this.#due} bytes or less`);
  }

  #field(): Field {
    const first = this.#bytes[this.#at]!;
    if (first >> 7) return this.#indexed(this.#integer(7));
    if (first >> 5 === 1) throw new HpackError("a size behind a field");
    const isKept = first >> 6 === 1;
    const index = this.#integer(isKept ? 6 : 4);
    const name = index === 0 ? this.#text() : this.#indexed(index)[0];
    const field: Field = [name, this.#text()];
    if (isKept) this.table.add(field);
    return field;
  }

  #indexed(index: number): Field {
    const field = this.table.at(index);
    if (!field) throw new HpackError(`no field ${index}`);
    return field;
  }

  #integer(bits: number): number {
    const most = 2 ** bits - 1;
    let value = this.#byte() & most;
    if (value < most) return value;
    for (let i = 0; i < MOST_INTEGER_BYTES - 1; i++) {
      const byte = this.#byte();
      value += (byte & 127) * 2 ** (7 * i);
      if (byte < 128) return value;
    }
    throw new HpackError("an integer of more than five bytes");
  }

  #text(): string {
    const isHuffman = (this.#bytes[this.#at] ?? 0) >> 7 === 1;
    const length = this.#integer(7);
    const bytes = this.#bytes.subarray(this.#at, this.#at + length);
    if (bytes.length < length) throw new HpackError("a text that does not end");
    this.#at += length;
    const decoded = isHuffman ? huffmanDecode(bytes) : Buffer.from(bytes).toString("latin1");
    if (decoded === undefined) throw new HpackError("no Huffman code");
    this.longestText = Math.max(this.longestText, decoded.length);
    return decoded;
  }

  #byte(): number {
    if (this.#at >= this.#bytes.length) throw new HpackError("a block that does not end");
    return this.#bytes[this.#at++]!;
  }
}

/**
 * The form of a field, any of: `i` with indexing, `n` never indexed, `x` by index where the table has it,
 * `m` its name by index where the table has that, `h` its value in the Huffman code, `H` its name. Empty: a literal.
 */
export type How = string;

/** An integer in the rest of a byte (RFC 7541 5.1). */
export function integer(value: number, bits: number, first: number): Buffer {
  const most = 2 ** bits - 1;
  if (value < most) return Buffer.from([first | value]);
  const bytes = [first | most];
  let rest = value - most;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return Buffer.from([...bytes, rest]);
}

/** A string literal (RFC 7541 5.2). */
export function text(value: string, isHuffman: boolean): Buffer {
  const bytes = isHuffman ? huffmanEncode(value) : Buffer.from(value, "latin1");
  return Buffer.concat([integer(bytes.length, 7, isHuffman ? 128 : 0), bytes]);
}

/** Encodes the header blocks of a client. */
export class HpackEncoder {
  readonly table: HpackTable = new HpackTable(4096);

  /** Returns an update of the table size. */
  size(bytes: number): Buffer {
    this.table.resize(Math.min(bytes, 4096));
    return integer(bytes, 5, 0x20);
  }

  field(field: Field, how: How = ""): Buffer {
    const index = how.includes("x") ? this.table.find(field) : 0;
    if (index > 0) return integer(index, 7, 0x80);
    const name = how.includes("m") ? this.table.find(field, true) : 0;
    const head = how.includes("i")
      ? integer(name, 6, 0x40)
      : how.includes("n")
        ? integer(name, 4, 0x10)
        : integer(name, 4, 0);
    if (how.includes("i")) this.table.add(field);
    const spelt = name > 0 ? [] : [text(field[0], how.includes("H"))];
    return Buffer.concat([head, ...spelt, text(field[1], how.includes("h"))]);
  }
}
