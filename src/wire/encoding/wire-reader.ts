/**
 * Reads the protobuf wire format (protobuf.dev, "Encoding"): tags, varints and length-delimited fields.
 *
 * It knows no messages. It never reads beyond the end of the current message; invalid input is a {@link ProtobufError}. Time is
 * linear in the length; {@link ReadLimits} bound the number of fields.
 *
 * @module
 */
import { JsonNumber } from "../../value/value.ts";
import { Buffer } from "node:buffer";
import { decodeUtf8 } from "../../value/utf8.ts";
import { DecodeError } from "../../value/decode-error.ts";
import { ProtobufError } from "./protobuf-error.ts";

/** Wire type of integers. */
export const VARINT = 0;
/** Wire type of eight bytes: a double. */
export const FIXED64 = 1;
/** Wire type of a length and as many bytes: text, bytes, a message. */
export const BYTES = 2;
/** Wire type of four bytes: a float; no message of Kubernetes has any. */
export const FIXED32 = 5;

/** Limits of a message with everything in it; more is a {@link ProtobufError} `tooLarge`. */
export interface ReadLimits {
  readonly fields: number;
  /** Entries of all maps. */
  readonly entries: number;
  /** Elements of all lists. */
  readonly elements: number;
}

/** Options of a reader. */
export interface ReadOptions {
  /** Where the message begins; 0 by default. */
  readonly start?: number;
  /** Whether invalid UTF-8 is an error; otherwise it becomes U+FFFD. */
  readonly strictText?: boolean;
  /** No limits by default. */
  readonly limits?: ReadLimits;
}

const UNLIMITED: ReadLimits = { fields: Infinity, entries: Infinity, elements: Infinity };

const WORD = 2 ** 32;

const tooMany = (what: string, limit: number): ProtobufError =>
  new ProtobufError("tooLarge", `expected at most ${limit} ${what}, found more`);

const malformed = (why: string): ProtobufError => new ProtobufError("malformed", why);

/** See the head of this file. */
export class WireReader {
  readonly #bytes: Buffer;
  readonly #strictText: boolean;
  readonly #limits: ReadLimits;
  #at: number;
  #end: number;
  // The last tag.
  #tag = 0;
  #fields = 0;
  #entries = 0;
  #elements = 0;
  // The last varint, as two words.
  #low = 0;
  #high = 0;

  constructor(bytes: Uint8Array, { start = 0, strictText = false, limits = UNLIMITED }: ReadOptions = {}) {
    this.#bytes = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#at = start;
    this.#end = bytes.length;
    this.#strictText = strictText;
    this.#limits = limits;
  }

  /** Whether the message has more fields. */
  get more(): boolean {
    return this.#at < this.#end;
  }

  /** The number of bytes before the current position. */
  get at(): number {
    return this.#at;
  }

  /** Reads a tag: the number of a field times eight, and its wire type. */
  tag(): number {
    if (++this.#fields > this.#limits.fields) throw tooMany("fields", this.#limits.fields);
    this.#varint();
    const tag = this.#low >>> 0;
    if (this.#high !== 0 || tag < 8) throw malformed(`expected the tag of a field, got ${tag}`);
    this.#tag = tag;
    return tag;
  }

  /** Reads a tag and returns the number of the field. */
  field(): number {
    return this.tag() >>> 3;
  }

  /** Counts an entry of a map. */
  entry(): void {
    if (++this.#entries > this.#limits.entries) throw tooMany("map entries", this.#limits.entries);
  }

  /** Counts an element of a list. */
  element(): void {
    if (++this.#elements > this.#limits.elements) throw tooMany("list elements", this.#limits.elements);
  }

  /** A 32-bit integer; the upper bits of a longer one are ignored, as in other readers. */
  int32(): number {
    this.#varint();
    return this.#low | 0;
  }

  /** A 64-bit integer; one that a double cannot represent is an error. */
  int64(): number {
    const value = this.exactInt64();
    if (typeof value !== "number") throw malformed("expected an integer between -2^53 and 2^53");
    return value;
  }

  /** A 64-bit integer, as a JsonNumber where a double cannot represent it. */
  exactInt64(): number | JsonNumber {
    this.#varint();
    const value = (this.#high | 0) * WORD + (this.#low >>> 0);
    if (Number.isSafeInteger(value)) return value;
    return new JsonNumber(String((BigInt(this.#high | 0) << 32n) | BigInt(this.#low >>> 0)));
  }

  /** An unsigned 64-bit integer. */
  uint64(): bigint {
    this.#varint();
    return (BigInt(this.#high >>> 0) << 32n) | BigInt(this.#low >>> 0);
  }

  /** A double. */
  double(): number {
    const start = this.#at;
    this.#fixed(8);
    return this.#bytes.readDoubleLE(start);
  }

  /** A float. */
  float(): number {
    const start = this.#at;
    this.#fixed(4);
    return this.#bytes.readFloatLE(start);
  }

  /** A boolean: every number but zero is true. */
  bool(): boolean {
    this.#varint();
    return (this.#low | this.#high) !== 0;
  }

  /** Enters a length-delimited field; returns the argument of {@link WireReader.leave}. */
  enter(): number {
    const outer = this.#end;
    const length = this.#length();
    this.#end = this.#at + length;
    return outer;
  }

  /** Continues after the entered field. */
  leave(outer: number): void {
    this.#at = this.#end;
    this.#end = outer;
  }

  /** Reads the message in a length-delimited field, and continues after it. */
  message<T>(read: (reader: WireReader) => T): T {
    const outer = this.enter();
    const value = read(this);
    this.leave(outer);
    return value;
  }

  /** A view of the bytes of a length-delimited field. */
  bytes(): Buffer {
    const length = this.#length();
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  /** The text of a length-delimited field. */
  text(): string {
    const length = this.#length();
    const start = this.#at;
    const end = start + length;
    this.#at = end;
    const text = this.#bytes.toString("utf8", start, end);
    return text.includes("\ufffd") ? this.#exactText(start, end) : text;
  }

  /** Skips the field of the last tag; returns whether its value was empty: zero, or no bytes. */
  skip(): boolean {
    const wire = this.#tag & 7;
    switch (wire) {
      case VARINT:
        return !this.bool();
      case BYTES: {
        const length = this.#length();
        this.#at += length;
        return length === 0;
      }
      case FIXED64:
        return this.#fixed(8);
      case FIXED32:
        return this.#fixed(4);
      default:
        throw malformed(`expected a wire type of 0, 1, 2 or 5, got ${wire}`);
    }
  }

  #fixed(length: number): boolean {
    const start = this.#at;
    if (length > this.#end - start) throw malformed(`expected ${length} bytes, found ${this.#end - start}`);
    this.#at += length;
    return this.#bytes.subarray(start, this.#at).every((byte) => byte === 0);
  }

  #length(): number {
    this.#varint();
    const length = this.#low >>> 0;
    const left = this.#end - this.#at;
    if (this.#high !== 0 || length > left) throw malformed(`expected a length of at most ${left} bytes, got more`);
    return length;
  }

  #exactText(start: number, end: number): string {
    try {
      return decodeUtf8(this.#bytes.subarray(start, end), !this.#strictText);
    } catch (error) {
      if (error instanceof DecodeError) throw malformed(error.message);
      throw error;
    }
  }

  #varint(): void {
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.#at >= this.#end) throw malformed("expected a whole number, got the end of the message");
      const byte = this.#bytes[this.#at++]!;
      const bits = byte & 0x7f;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) {
        low |= bits << 28;
        high = bits >>> 4;
      } else high |= bits << (shift - 32);
      if (byte < 0x80) {
        this.#low = low;
        this.#high = high;
        return;
      }
    }
    throw malformed("expected a number of at most ten bytes, got a longer one");
  }
}
