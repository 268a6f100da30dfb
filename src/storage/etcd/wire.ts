/**
 * The little of protobuf that etcd's messages need: varints and length-delimited fields, without schemas.
 *
 * A {@link MessageWriter} fills its buffer from the end to the front: when the length of a nested message has to be
 * written, the message is there already and its length is known. So fields are written in reverse order.
 *
 * @module
 */

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

/** Writes one message, last field first. The capacity is given at the start: who writes knows the parts. */
export class MessageWriter {
  readonly #buffer: Buffer;
  #start: number;

  /** @param capacity at least the bytes that will be written */
  constructor(capacity: number) {
    this.#buffer = Buffer.allocUnsafe(capacity);
    this.#start = capacity;
  }

  /** Bytes written so far: the place to hand to {@link MessageWriter.endMessage} for what follows. */
  get length(): number {
    return this.#buffer.length - this.#start;
  }

  /** A field with a number that is not negative. */
  number(field: number, value: number): void {
    this.#varint(value);
    this.#varint(field * 8 + VARINT);
  }

  /** A field with bytes. */
  bytes(field: number, value: Uint8Array): void {
    this.#start -= value.length;
    this.#buffer.set(value, this.#start);
    this.#head(field, value.length);
  }

  /** Makes what has been written since `before` the content of a field. */
  endMessage(field: number, before: number): void {
    this.#head(field, this.length - before);
  }

  /** The message as gRPC sends it: not compressed, with its length in front (5 bytes). */
  frame(): Buffer {
    const { length } = this;
    this.#start -= 5;
    this.#buffer[this.#start] = 0;
    this.#buffer.writeUInt32BE(length, this.#start + 1);
    return this.#buffer.subarray(this.#start);
  }

  #head(field: number, length: number): void {
    this.#varint(length);
    this.#varint(field * 8 + BYTES);
  }

  #varint(value: number): void {
    let size = 1;
    for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size++;
    this.#start -= size;
    let at = this.#start;
    let rest = value;
    // Beyond 31 bits the bit operators would cut the number.
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.#buffer[at++] = (rest % 128) | 128;
    this.#buffer[at] = rest;
  }
}

/**
 * Reads one message: {@link MessageReader.next} steps to a field, then the accessor for its type takes the value, or
 * {@link MessageReader.skip} passes over it.
 *
 *     while (reader.next()) {
 *       if (reader.field === 3) revision = reader.number();
 *       else reader.skip();
 *     }
 */
export class MessageReader {
  readonly #buffer: Uint8Array;
  #at = 0;
  #type = VARINT;
  /** The field that {@link MessageReader.next} stands on. */
  field = 0;

  constructor(buffer: Uint8Array) {
    this.#buffer = buffer;
  }

  /** Steps to the next field; false at the end. */
  next(): boolean {
    if (this.#at >= this.#buffer.length) return false;
    const tag = this.number();
    this.field = Math.floor(tag / 8);
    this.#type = tag % 8;
    return true;
  }

  /** A varint as a number; one beyond 2^53 is not exact. */
  number(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#byte();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }

  /** A varint of 64 bits, exact. */
  big(): bigint {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.#byte();
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  }

  /** A view of the bytes of a length-delimited field. */
  bytes(): Uint8Array {
    const length = this.number();
    const start = this.#at;
    this.#move(length);
    return this.#buffer.subarray(start, start + length);
  }

  /** The text of a length-delimited field. */
  text(): string {
    return Buffer.from(this.bytes()).toString("utf8");
  }

  /** A reader of a nested message. */
  message(): MessageReader {
    return new MessageReader(this.bytes());
  }

  /** Passes over the value of a field that nobody wants. */
  skip(): void {
    if (this.#type === VARINT) this.number();
    else if (this.#type === BYTES) this.bytes();
    else if (this.#type === FIXED64) this.#move(8);
    else if (this.#type === FIXED32) this.#move(4);
    else throw new RangeError(`Expected a protobuf field of a known type, got type ${this.#type}`);
  }

  #byte(): number {
    const byte = this.#buffer[this.#at++];
    if (byte === undefined) throw new RangeError("Expected more bytes in a protobuf message, found its end");
    return byte;
  }

  #move(length: number): void {
    this.#at += length;
    if (this.#at > this.#buffer.length) {
      throw new RangeError("Expected more bytes in a protobuf message, found its end");
    }
  }
}
