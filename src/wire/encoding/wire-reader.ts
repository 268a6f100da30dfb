/**
 * Reads the protobuf wire format (protobuf.dev, "Encoding"): tags, varints and length-delimited fields.
 *
 * It knows no messages. A reader stands inside a message and never looks beyond its end; whatever does not fit is a
 * {@link ProtobufError}. Time is linear in the length, and how many fields there may be is for the caller to say.
 *
 * @module
 */
import { JsonNumber } from "../../value/value.ts";
import { Buffer } from "node:buffer";
import { decodeUtf8 } from "../../value/utf8.ts";
import { DecodeError } from "../../value/decode-error.ts";
import { ProtobufError } from "./protobuf-error.ts";

/** A number. */
export const VARINT = 0;
/** Eight bytes: a number with a fraction. */
export const FIXED64 = 1;
/** A length and as many bytes: text, bytes, a message. */
export const BYTES = 2;
/** Four bytes: a shorter number with a fraction; no message of Kubernetes has any. */
export const FIXED32 = 5;

/** How much a message with all that is in it may have; more is a {@link ProtobufError} with the code `tooLarge`. */
export interface ReadLimits {
  readonly fields: number;
  /** Entries of maps, of all of them together. */
  readonly entries: number;
  /** Elements of lists, of all of them together. */
  readonly elements: number;
}

/** How a message is read. */
export interface ReadOptions {
  /** Where in the bytes it begins; 0 unless given. */
  readonly start?: number;
  /** Bytes of texts that are no UTF-8 are an error; else they become U+FFFD. */
  readonly strictText?: boolean;
  /** None unless given. */
  readonly limits?: ReadLimits;
}

const UNLIMITED: ReadLimits = { fields: Infinity, entries: Infinity, elements: Infinity };

const WORD = 2 ** 32;

const tooMany = (what: string, most: number): ProtobufError =>
  new ProtobufError("tooLarge", `expected at most ${most} ${what}, found more`);

const malformed = (why: string): ProtobufError => new ProtobufError("malformed", why);

/** See the head of this file. */
export class WireReader {
  readonly #bytes: Buffer;
  readonly #strictText: boolean;
  readonly #limits: ReadLimits;
  #at: number;
  #end: number;
  // The tag that was read last.
  #tag = 0;
  #fields = 0;
  #entries = 0;
  #elements = 0;
  // The varint that was read last, as two words.
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

  /** How many bytes were read, from the beginning of all. */
  get at(): number {
    return this.#at;
  }

  /** The next tag: the number of a field times eight, and its wire type. */
  tag(): number {
    if (++this.#fields > this.#limits.fields) throw tooMany("fields", this.#limits.fields);
    this.#varint();
    const tag = this.#low >>> 0;
    if (this.#high !== 0 || tag < 8) throw malformed(`expected the tag of a field, got ${tag}`);
    this.#tag = tag;
    return tag;
  }

  /** The number of the next field, for who takes the wire type as it should be. */
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

  /** An integer of 32 bits; what a longer one has more is cut off, as other readers do. */
  int32(): number {
    this.#varint();
    return this.#low | 0;
  }

  /** An integer of 64 bits; those that a double does not hold are an error. */
  int64(): number {
    const value = this.exactInt64();
    if (typeof value !== "number") throw malformed("expected an integer between -2^53 and 2^53");
    return value;
  }

  /** An integer of 64 bits, digit by digit where a double does not hold it. */
  exactInt64(): number | JsonNumber {
    this.#varint();
    const value = (this.#high | 0) * WORD + (this.#low >>> 0);
    if (Number.isSafeInteger(value)) return value;
    return new JsonNumber(String((BigInt(this.#high | 0) << 32n) | BigInt(this.#low >>> 0)));
  }

  /** An integer of 64 bits without a sign. */
  uint64(): bigint {
    this.#varint();
    return (BigInt(this.#high >>> 0) << 32n) | BigInt(this.#low >>> 0);
  }

  /** A number with a fraction. */
  double(): number {
    const start = this.#at;
    this.#fixed(8);
    return this.#bytes.readDoubleLE(start);
  }

  /** A number with a fraction, of four bytes. */
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

  /** Goes into a length-delimited field; returns what {@link WireReader.leave} needs. */
  enter(): number {
    const outer = this.#end;
    const length = this.#length();
    this.#end = this.#at + length;
    return outer;
  }

  /** Goes on behind the field that was entered. */
  leave(outer: number): void {
    this.#at = this.#end;
    this.#end = outer;
  }

  /** Reads the message that a length-delimited field is, and goes on behind it. */
  message<T>(read: (reader: WireReader) => T): T {
    const outer = this.enter();
    const value = read(this);
    this.leave(outer);
    return value;
  }

  /** The bytes of a length-delimited field; a view. */
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

  /** Passes over the field whose tag was read last; true when it said nothing: zero, or no bytes. */
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
