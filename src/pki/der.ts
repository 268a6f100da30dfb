/**
 * The distinguished encoding rules (X.690), as far as certificates need them: values are written, elements are read.
 * `X509Certificate` decides whether bytes are a valid certificate, not this file.
 *
 * @module
 */

/** Bytes that are not valid. The message says what was expected. */
export class DerError extends Error {
  override readonly name = "DerError";
}

/** An element: its tag, the bytes of its content, and all its bytes with tag and length. */
export interface Element {
  readonly tag: number;
  readonly content: Buffer;
  readonly whole: Buffer;
}

/** The tags that certificates use. */
export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utf8: 0x0c,
  numericString: 0x12,
  printableString: 0x13,
  t61String: 0x14,
  ia5String: 0x16,
  bmpString: 0x1e,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** An element with a tag and a content of several parts; the length has its shortest form. */
export function element(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([Buffer.from([tag, ...lengthBytes(length)]), ...parts]);
}

/** Up to 127 one byte; above, the number of bytes of the length, then the length. */
function lengthBytes(length: number): number[] {
  if (length < 0x80) return [length];
  const bytes = base(length, 256);
  return [0x80 | bytes.length, ...bytes];
}

/** The digits of a whole number, highest first; zero has one digit. */
function base(value: number, radix: number): number[] {
  const digits = [value % radix];
  for (let rest = Math.floor(value / radix); rest > 0; rest = Math.floor(rest / radix)) digits.unshift(rest % radix);
  return digits;
}

/** SEQUENCE. */
export const sequence = (...parts: readonly Uint8Array[]): Buffer => element(TAG.sequence, ...parts);

/** SET of one element, which needs no sorting. */
export const setOf = (part: Uint8Array): Buffer => element(TAG.set, part);

/** BOOLEAN true; false is a default, and defaults are not written. */
export const TRUE: Buffer = element(TAG.boolean, Buffer.of(0xff));

/** INTEGER of a big-endian number that is not negative; a leading zero keeps it positive. */
export function integer(bytes: Uint8Array): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const digits = first < 0 ? Buffer.of(0) : bytes.subarray(first);
  return digits[0]! < 0x80 ? element(TAG.integer, digits) : element(TAG.integer, Buffer.of(0), digits);
}

/** BIT STRING; `unused` bits of its last byte are not part of it. */
export const bitString = (bytes: Uint8Array, unused = 0): Buffer => element(TAG.bitString, Buffer.of(unused), bytes);

/** OCTET STRING. */
export const octetString = (bytes: Uint8Array): Buffer => element(TAG.octetString, bytes);

/** UTF8String. */
export const utf8 = (text: string): Buffer => element(TAG.utf8, Buffer.from(text));

/** OBJECT IDENTIFIER from its dotted form: the first two numbers share a byte, the others have seven bits in each byte. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  const bytes = [first * 40 + second, ...rest].flatMap((arc) =>
    base(arc, 128).map((digit, i, all) => (i < all.length - 1 ? 0x80 | digit : digit)),
  );
  return element(TAG.oid, Buffer.from(bytes));
}

/** A tag `[n]` around whole elements. */
export const explicit = (n: number, ...parts: readonly Uint8Array[]): Buffer => element(0xa0 | n, ...parts);

/** A tag `[n]` in place of the tag of a plain value. */
export const implicit = (n: number, content: Uint8Array): Buffer => element(0x80 | n, content);

/** A time in seconds: UTCTime for the years 1950 to 2049, else GeneralizedTime (RFC 5280 4.1.2.5). */
export function time(millis: number): Buffer {
  const date = new Date(millis);
  // 2026-01-02T03:04:05.678Z -> 20260102030405Z
  const text = `${date.toISOString().slice(0, -5).replaceAll(/\D/g, "")}Z`;
  const year = date.getUTCFullYear();
  return year >= 1950 && year < 2050
    ? element(TAG.utcTime, Buffer.from(text.slice(2)))
    : element(TAG.generalizedTime, Buffer.from(text));
}

/** Splits bytes into elements. @throws DerError when they are incomplete */
export function elements(bytes: Buffer): Element[] {
  const found: Element[] = [];
  for (let at = 0; at < bytes.length;) {
    const one = elementAt(bytes, at);
    found.push(one);
    at += one.whole.length;
  }
  return found;
}

/** Reads bytes of exactly one element. @throws DerError when they are fewer, more, or have another tag */
export function only(bytes: Buffer, tag: number): Element {
  const one = elementAt(bytes, 0);
  if (one.whole.length !== bytes.length) throw new DerError("expected nothing behind the last element");
  return ofTag(one, tag);
}

/** Checks that an element exists and has a tag. @throws DerError */
export function ofTag(one: Element | undefined, tag: number): Element {
  if (one?.tag === tag) return one;
  throw new DerError(`expected an element with tag ${tag}, found ${one ? `tag ${one.tag}` : "none"}`);
}

const MAX_LENGTH_BYTES = 4;

function elementAt(bytes: Buffer, at: number): Element {
  const short = bytes[at + 1];
  if (short === undefined) throw new DerError("expected a tag and a length");
  const more = short < 0x80 ? 0 : short & 0x7f;
  if (short === 0x80 || more > MAX_LENGTH_BYTES || at + 2 + more > bytes.length) {
    throw new DerError(`expected a length of at most ${MAX_LENGTH_BYTES} bytes`);
  }
  const begin = at + 2 + more;
  const end = begin + (more === 0 ? short : bytes.readUIntBE(at + 2, more));
  if (end > bytes.length) throw new DerError("expected an element to end with the one that contains it");
  return { tag: bytes[at]!, content: bytes.subarray(begin, end), whole: bytes.subarray(at, end) };
}
