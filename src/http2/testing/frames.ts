/**
 * HTTP/2 as bytes: for clients that do not keep to its rules.
 *
 * @module
 */

/** What every connection begins with (RFC 9113 3.4). */
export const PREFACE: Buffer = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/** Types of frames (RFC 9113 6). */
export const TYPE = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  push: 5,
  ping: 6,
  goaway: 7,
  window: 8,
  continuation: 9,
} as const;

/** Flags of frames. */
export const FLAG = { endStream: 1, ack: 1, endHeaders: 4, padded: 8, priority: 0x20 } as const;

/** Names of settings (RFC 9113 6.5.2). */
export const SETTING = {
  tableSize: 1,
  enablePush: 2,
  concurrentStreams: 3,
  windowSize: 4,
  frameSize: 5,
  headerListSize: 6,
} as const;

/** A frame (RFC 9113 4.1). */
export function frame(type: number, flags: number, stream: number, payload: Uint8Array = NOTHING): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** A frame of settings, by number. */
export function settings(values: readonly (readonly [number, number])[]): Buffer {
  const payload = Buffer.alloc(6 * values.length);
  values.forEach(([name, value], i) => {
    payload.writeUInt16BE(name, 6 * i);
    payload.writeUInt32BE(value, 6 * i + 2);
  });
  return frame(TYPE.settings, 0, 0, payload);
}

/** Four bytes: a window, an error code. */
export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** An integer of HPACK in what is left of a byte (RFC 7541 5.1). */
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

/** A header that is spelt out (RFC 7541 6.2.2), or remembered for {@link indexed} (6.2.1). */
export const literal = (name: string, value: string, remembered = false): Buffer =>
  Buffer.concat([Buffer.from([remembered ? 0x40 : 0]), text(name), text(value)]);

/** A header by its place in the table; 62 is what was remembered last (RFC 7541 6.1). */
export const indexed = (place: number): Buffer => integer(place, 7, 0x80);

/** Headers, all spelt out. */
export const headerBlock = (headers: readonly (readonly [string, string])[]): Buffer =>
  Buffer.concat(headers.map(([name, value]) => literal(name, value)));

/** The headers of a request over TLS. */
export const requestBlock = (
  method: string,
  path: string,
  headers: readonly (readonly [string, string])[] = [],
): Buffer => headerBlock([[":method", method], [":scheme", "https"], [":path", path], [":authority", "x"], ...headers]);

const NOTHING = Buffer.alloc(0);
