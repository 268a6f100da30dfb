/**
 * Encodes frames as latin1 strings (RFC 9113 4.1 and 6).
 *
 * @module
 */
import { DEFAULT_FRAME_SIZE, FLAG, TYPE } from "./constants.ts";

/** The head of a frame. */
export const frameHead = (length: number, type: number, flags: number, stream: number): string =>
  String.fromCharCode(
    length >>> 16,
    (length >>> 8) & 0xff,
    length & 0xff,
    type,
    flags,
    stream >>> 24,
    (stream >>> 16) & 0xff,
    (stream >>> 8) & 0xff,
    stream & 0xff,
  );

const uint32 = (value: number): string =>
  String.fromCharCode(value >>> 24, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff);

/** A header block, in several frames where it is longer than 16 KiB, which every peer accepts. */
export function headersFrames(stream: number, block: string, isEnd: boolean): string {
  const flags = isEnd ? FLAG.endStream : 0;
  if (block.length <= DEFAULT_FRAME_SIZE) {
    return frameHead(block.length, TYPE.headers, flags | FLAG.endHeaders, stream) + block;
  }
  let frames = "";
  for (let at = 0; at < block.length; at += DEFAULT_FRAME_SIZE) {
    const part = block.slice(at, at + DEFAULT_FRAME_SIZE);
    const last = at + part.length === block.length ? FLAG.endHeaders : 0;
    const [type, first] = at === 0 ? [TYPE.headers, flags] : [TYPE.continuation, 0];
    frames += frameHead(part.length, type, first | last, stream) + part;
  }
  return frames;
}

/** RST_STREAM. */
export const resetFrame = (stream: number, code: number): string => frameHead(4, TYPE.reset, 0, stream) + uint32(code);

/** WINDOW_UPDATE of a stream or, with 0, of the connection. */
export const windowUpdateFrame = (stream: number, bytes: number): string =>
  frameHead(4, TYPE.windowUpdate, 0, stream) + uint32(bytes);

/** SETTINGS. */
export function settingsFrame(settings: readonly (readonly [name: number, value: number])[]): string {
  const payload = settings
    .map(([name, value]) => String.fromCharCode(name >>> 8, name & 0xff) + uint32(value))
    .join("");
  return frameHead(payload.length, TYPE.settings, 0, 0) + payload;
}

/** The acknowledgement of the peer's settings. */
export const SETTINGS_ACK: string = frameHead(0, TYPE.settings, FLAG.ack, 0);

/** A ping. */
export const PING: string = frameHead(8, TYPE.ping, 0, 0) + "keelson!";

/** The acknowledgement of a ping, with its eight bytes. */
export const pingAck = (data: string): string => frameHead(8, TYPE.ping, FLAG.ack, 0) + data;

/** GOAWAY; streams after `last` are not processed. */
export function goAwayFrame(last: number, code: number, why: string): string {
  const payload = uint32(last) + uint32(code) + why;
  return frameHead(payload.length, TYPE.goAway, 0, 0) + payload;
}
