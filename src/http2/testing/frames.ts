/**
 * HTTP/2 as bytes, for clients that violate its rules.
 *
 * @module
 */
import { PREFACE as CLIENT_PREFACE, TYPE } from "../constants.ts";

export { FLAG, SETTING, TYPE } from "../constants.ts";

/** The preface of a connection (RFC 9113 3.4). */
export const PREFACE: Buffer = Buffer.from(CLIENT_PREFACE);

/** A frame (RFC 9113 4.1). */
export function frame(type: number, flags: number, stream: number, payload: Uint8Array = NOTHING): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** Returns a SETTINGS frame, by the numbers of its parameters. */
export function settings(values: readonly (readonly [number, number])[]): Buffer {
  const payload = Buffer.alloc(6 * values.length);
  values.forEach(([name, value], i) => {
    payload.writeUInt16BE(name, 6 * i);
    payload.writeUInt32BE(value, 6 * i + 2);
  });
  return frame(TYPE.settings, 0, 0, payload);
}

/** Returns four bytes: a window, an error code. */
export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Returns an HPACK integer in the rest of a byte (RFC 7541 5.1). */
function integer(value: number, bits: number, first: number): Buffer {
  const most = 2 ** bits - 1;
  if (value < most) return Buffer.from([first | value]);
  const bytes = [first | most];
  for (let rest = value - most; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) | 128);
  }
}

const text = (value: string): Buffer =>
  Buffer.concat([integer(Buffer.byteLength(value, "latin1"), 7, 0), Buffer.from(value, "latin1")]);

/** Returns a literal header without indexing (RFC 7541 6.2.2), or with it for {@link indexed} (6.2.1). */
export const literal = (name: string, value: string, remembered = false): Buffer =>
  Buffer.concat([Buffer.from([remembered ? 0x40 : 0]), text(name), text(value)]);

/** Returns a header by its index in the table; 62 is the last added one (RFC 7541 6.1). */
export const indexed = (place: number): Buffer => integer(place, 7, 0x80);

/** Returns literal headers. */
export const headerBlock = (headers: readonly (readonly [string, string])[]): Buffer =>
  Buffer.concat(headers.map(([name, value]) => literal(name, value)));

/** Returns the headers of a request over TLS. */
export const requestBlock = (
  method: string,
  path: string,
  headers: readonly (readonly [string, string])[] = [],
): Buffer => headerBlock([[":method", method], [":scheme", "https"], [":path", path], [":authority", "x"], ...headers]);

const NOTHING = Buffer.alloc(0);
