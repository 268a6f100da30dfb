/**
 * The part of Node's `Buffer` that the cluster uses, for a browser: texts of the encodings that it writes, numbers, and searches.
 * It is no complete one: an encoding that is not here is an error.
 *
 * @module
 */

type Encoding = "utf8" | "utf-8" | "latin1" | "binary" | "ascii" | "hex" | "base64" | "base64url" | "ucs2" | "utf16le";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** As many arguments as a call may have in every browser. */
const PIECE = 8192;

function latin1Of(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += PIECE) text += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  return text;
}

function fromLatin1(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/** Reads base64 of either alphabet as Node does: what is no digit is left out, and `=` ends it. */
function fromBase64(text: string): Uint8Array {
  const end = text.indexOf("=");
  const digits = (end < 0 ? text : text.slice(0, end))
    .replace(/[^\w+/-]/g, "")
    .replaceAll("-", "+")
    .replaceAll("_", "/");
  const whole = digits.length % 4 === 1 ? digits.slice(0, -1) : digits;
  return fromLatin1(atob(whole));
}

function fromHex(text: string): Uint8Array {
  const bytes: number[] = [];
  for (let at = 0; at + 1 < text.length; at += 2) {
    const byte = Number.parseInt(text.slice(at, at + 2), 16);
    if (Number.isNaN(byte)) break;
    bytes.push(byte);
  }
  return Uint8Array.from(bytes);
}

function encode(text: string, encoding: string = "utf8"): Uint8Array {
  switch (encoding as Encoding) {
    case "utf8":
    case "utf-8":
      return encoder.encode(text);
    case "latin1":
    case "binary":
    case "ascii":
      return fromLatin1(text);
    case "hex":
      return fromHex(text);
    case "base64":
    case "base64url":
      return fromBase64(text);
    case "ucs2":
    case "utf16le": {
      const units = Uint16Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
      return new Uint8Array(units.buffer);
    }
    default:
      throw new RangeError(`expected an encoding that a page knows, got ${encoding}`);
  }
}

function decode(bytes: Uint8Array, encoding: string = "utf8"): string {
  switch (encoding as Encoding) {
    case "utf8":
    case "utf-8":
      return decoder.decode(bytes);
    case "latin1":
    case "binary":
      return latin1Of(bytes);
    case "ascii":
      return latin1Of(bytes.map((byte) => byte & 0x7f));
    case "hex":
      return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    case "base64":
      return btoa(latin1Of(bytes));
    case "base64url":
      return btoa(latin1Of(bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    default:
      throw new RangeError(`expected an encoding that a page knows, got ${encoding}`);
  }
}

type Source = string | ArrayBufferLike | ArrayLike<number> | Uint8Array;

/** Bytes with the methods of Node's `Buffer` that the cluster calls. */
export class Buffer extends Uint8Array {
  /** Bytes of a text, a list of numbers, or a view of memory. */
  static override from(source: Source | Iterable<number>, encoding?: unknown, length?: number): Buffer {
    if (typeof source === "string") return viewOf(encode(source, encoding as string | undefined));
    if (source instanceof ArrayBuffer) return new Buffer(source, (encoding as number | undefined) ?? 0, length);
    const list = source as ArrayLike<number>;
    const bytes = new Buffer(typeof list.length === "number" ? list.length : [...(source as Iterable<number>)].length);
    bytes.set(typeof list.length === "number" ? list : [...(source as Iterable<number>)]);
    return bytes;
  }

  static override of(...numbers: number[]): Buffer {
    return Buffer.from(numbers);
  }

  static alloc(length: number, fill?: number): Buffer {
    const bytes = new Buffer(length);
    if (fill !== undefined) bytes.fill(fill);
    return bytes;
  }

  static allocUnsafe(length: number): Buffer {
    return new Buffer(length);
  }

  static allocUnsafeSlow(length: number): Buffer {
    return new Buffer(length);
  }

  static byteLength(text: string | ArrayBufferView | ArrayBuffer, encoding?: string): number {
    if (typeof text !== "string") return text.byteLength;
    return encoding === undefined || encoding.startsWith("utf") ? utf8Length(text) : encode(text, encoding).length;
  }

  static concat(
    list: readonly Uint8Array[],
    total: number = list.reduce((sum, { length }) => sum + length, 0),
  ): Buffer {
    const bytes = new Buffer(total);
    let at = 0;
    for (const part of list) {
      bytes.set(part.subarray(0, Math.max(0, total - at)), at);
      at += part.length;
    }
    return bytes;
  }

  static compare(a: Uint8Array, b: Uint8Array): -1 | 0 | 1 {
    const common = Math.min(a.length, b.length);
    for (let at = 0; at < common; at++) if (a[at] !== b[at]) return a[at]! < b[at]! ? -1 : 1;
    return a.length === b.length ? 0 : a.length < b.length ? -1 : 1;
  }

  static isBuffer(value: unknown): value is Buffer {
    return value instanceof Buffer;
  }

  override toString(encoding?: string, start = 0, end = this.length): string {
    return decode(start === 0 && end === this.length ? this : this.subarray(start, end), encoding);
  }

  latin1Slice(start = 0, end = this.length): string {
    return latin1Of(this.subarray(start, end));
  }

  asciiSlice(start = 0, end = this.length): string {
    return latin1Of(this.subarray(start, end));
  }

  utf8Slice(start = 0, end = this.length): string {
    return decoder.decode(this.subarray(start, end));
  }

  /** Writes a text, as much of it as there is space for; the result is the number of bytes. */
  write(text: string, offset = 0, length: number | string = this.length - offset, encoding?: string): number {
    const most = typeof length === "number" ? length : this.length - offset;
    const form = typeof length === "string" ? length : encoding;
    if (form === undefined || form.startsWith("utf")) {
      return encoder.encodeInto(text, this.subarray(offset, offset + most)).written;
    }
    const bytes = encode(text, form).subarray(0, most);
    this.set(bytes, offset);
    return bytes.length;
  }

  utf8Write(text: string, offset = 0, length = this.length - offset): number {
    return this.write(text, offset, length);
  }

  latin1Write(text: string, offset = 0, length = this.length - offset): number {
    return this.write(text, offset, length, "latin1");
  }

  equals(other: Uint8Array): boolean {
    return Buffer.compare(this, other) === 0;
  }

  compare(other: Uint8Array, start = 0, end = other.length, ownStart = 0, ownEnd = this.length): -1 | 0 | 1 {
    return Buffer.compare(this.subarray(ownStart, ownEnd), other.subarray(start, end));
  }

  copy(target: Uint8Array, at = 0, start = 0, end = this.length): number {
    const part = this.subarray(start, Math.min(end, start + target.length - at));
    target.set(part, at);
    return part.length;
  }

  /** A view of a part, as Node's: nothing is copied. */
  override slice(start?: number, end?: number): this {
    return this.subarray(start, end) as this;
  }

  override indexOf(value: number | string | Uint8Array, from = 0, encoding?: string): number {
    if (typeof value === "number") return super.indexOf(value, from);
    const sought = typeof value === "string" ? encode(value, encoding) : value;
    const [first] = sought;
    if (first === undefined) return from;
    for (let at = super.indexOf(first, from); at >= 0; at = super.indexOf(first, at + 1)) {
      if (sought.every((byte, i) => this[at + i] === byte)) return at;
    }
    return -1;
  }

  override includes(value: number | string | Uint8Array, from = 0): boolean {
    return this.indexOf(value, from) >= 0;
  }

  readUInt8(at = 0): number {
    return this[at]!;
  }

  readUInt16BE(at = 0): number {
    return this.readUIntBE(at, 2);
  }

  readUInt32BE(at = 0): number {
    return this.readUIntBE(at, 4);
  }

  readUInt32LE(at = 0): number {
    return dataOf(this).getUint32(at, true);
  }

  readUIntBE(at: number, length: number): number {
    let number = 0;
    for (let i = 0; i < length; i++) number = number * 256 + this[at + i]!;
    return number;
  }

  readDoubleLE(at = 0): number {
    return dataOf(this).getFloat64(at, true);
  }

  writeUInt8(value: number, at = 0): number {
    this[at] = value;
    return at + 1;
  }

  writeUInt16BE(value: number, at = 0): number {
    dataOf(this).setUint16(at, value);
    return at + 2;
  }

  writeUInt32BE(value: number, at = 0): number {
    dataOf(this).setUint32(at, value);
    return at + 4;
  }

  writeUInt32LE(value: number, at = 0): number {
    dataOf(this).setUint32(at, value, true);
    return at + 4;
  }

  writeDoubleLE(value: number, at = 0): number {
    dataOf(this).setFloat64(at, value, true);
    return at + 8;
  }
}

const dataOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength);

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  new Buffer(buffer as ArrayBuffer, byteOffset, byteLength);

function utf8Length(text: string): number {
  let length = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit > 0x7f) length += unit > 0x7ff ? 2 : 1;
    // Two units of a pair are four bytes.
    if (unit >= 0xd800 && unit < 0xdc00 && isLow(text.charCodeAt(at + 1))) at++;
  }
  return length;
}

const isLow = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000;

/** Whether bytes are valid UTF-8. */
export function isUtf8(bytes: Uint8Array): boolean {
  try {
    strict.decode(bytes);
    return true;
  } catch {
    return false;
  }
}
