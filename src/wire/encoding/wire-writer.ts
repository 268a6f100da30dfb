/**
 * Writes the protobuf wire format from the end to the start, so that the length of a message is known when it is written: the last
 * field first, and each field as value, length, tag.
 *
 * @module
 */
import { Buffer } from "node:buffer";

import { BYTES, VARINT } from "./wire-reader.ts";

const WORD = 2 ** 32;

/** Texts up to this length are copied faster byte by byte. */
const SHORT = 24;

/** See the head of this file. */
export class WireWriter {
  readonly #size: number;
  #buffer: Buffer;
  #at: number;

  constructor(size = 1024) {
    this.#size = size;
    this.#buffer = Buffer.allocUnsafe(size);
    this.#at = size;
  }

  /** Starts again in the same memory, which overwrites the result of {@link WireWriter.finish}. */
  reset(): void {
    if (this.#buffer.length > this.#size) this.#buffer = Buffer.allocUnsafe(this.#size);
    this.#at = this.#buffer.length;
  }

  /** Bytes written so far. */
  get length(): number {
    return this.#buffer.length - this.#at;
  }

  /** Writes the tag of a field, after its value. */
  tag(number: number, wire: number): void {
    this.unsigned(number * 8 + wire);
  }

  /** Writes the length of everything since the writer had `before` bytes. */
  lengthSince(before: number): void {
    this.unsigned(this.length - before);
  }

  /** Ends a field whose content is everything since the writer had `before` bytes. */
  endMessage(number: number, before: number): void {
    this.lengthSince(before);
    this.tag(number, BYTES);
  }

  /** A field with an integer that a double can represent. */
  integerField(number: number, value: number): void {
    this.integer(value);
    this.tag(number, VARINT);
  }

  /** A field with a text. */
  textField(number: number, text: string): void {
    this.text(text);
    this.tag(number, BYTES);
  }

  /** A field with bytes. */
  bytesField(number: number, bytes: Uint8Array): void {
    this.raw(bytes);
    this.unsigned(bytes.length);
    this.tag(number, BYTES);
  }

  /** A number from 0 to below 2^32. */
  unsigned(value: number): void {
    this.#reserve(5);
    let size = 1;
    for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size++;
    this.#at -= size;
    let rest = value;
    for (let i = 0; i < size - 1; i++) {
      this.#buffer[this.#at + i] = (rest % 128) + 128;
      rest = Math.floor(rest / 128);
    }
    this.#buffer[this.#at + size - 1] = rest;
  }

  /** An integer that a double can represent; a negative one takes ten bytes. */
  integer(value: number): void {
    if (value >= 0 && value < WORD) this.unsigned(value);
    else this.#words(((value % WORD) + WORD) % WORD, (Math.floor(value / WORD) + WORD) % WORD);
  }

  /** A 64-bit integer that a double cannot represent. */
  longInteger(value: bigint): void {
    const bits = BigInt.asUintN(64, value);
    this.#words(Number(BigInt.asUintN(32, bits)), Number(bits >> 32n));
  }

  /** The lower and the upper 32 bits of an integer. */
  #words(lower: number, upper: number): void {
    let low = lower;
    let high = upper;
    const bytes: number[] = [];
    while (high > 0 || low >= 128) {
      bytes.push((low % 128) + 128);
      low = Math.floor(low / 128) + (high % 128) * 2 ** 25;
      high = Math.floor(high / 128);
    }
    bytes.push(low);
    this.raw(Uint8Array.from(bytes));
  }

  /** A double. */
  double(value: number): void {
    this.#reserve(8);
    this.#at -= 8;
    this.#buffer.writeDoubleLE(value, this.#at);
  }

  /** Bytes as they are. */
  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#at -= bytes.length;
    this.#buffer.set(bytes, this.#at);
  }

  /** A text with its length. */
  text(text: string): void {
    if (text.length <= SHORT && this.#shortText(text)) return;
    const length = Buffer.byteLength(text);
    this.#reserve(length);
    this.#at -= length;
    this.#buffer.write(text, this.#at);
    this.unsigned(length);
  }

  /** Writes a short text of ASCII characters; returns false for another one. */
  #shortText(text: string): boolean {
    const { length } = text;
    this.#reserve(length + 1);
    const at = this.#at - length;
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i);
      if (code > 127) return false;
      this.#buffer[at + i] = code;
    }
    this.#buffer[at - 1] = length;
    this.#at = at - 1;
    return true;
  }

  /** The written bytes; only {@link WireWriter.reset} may follow. */
  finish(): Buffer {
    return this.#buffer.subarray(this.#at);
  }

  #reserve(needed: number): void {
    if (needed <= this.#at) return;
    const used = this.length;
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, used + needed));
    this.#buffer.copy(larger, larger.length - used, this.#at);
    this.#at = larger.length - used;
    this.#buffer = larger;
  }
}
