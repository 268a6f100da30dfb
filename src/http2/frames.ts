/**
 * Frames to be sent, as text of one byte a character (RFC 9113 4.1 and 6).
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

/** A header block, in as many frames as it needs: every peer takes frames of 16 KiB. */
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

/** Ends a stream at once. */
export const resetFrame = (stream: number, code: number): string => frameHead(4, TYPE.reset, 0, stream) + uint32(code);

/** Lets the peer send more, on a stream or, with 0, on the connection. */
export const windowUpdateFrame = (stream: number, bytes: number): string =>
  frameHead(4, TYPE.windowUpdate, 0, stream) + uint32(bytes);

/** Settings by number. */
export function settingsFrame(settings: readonly (readonly [name: number, value: number])[]): string {
  const payload = settings
    .map(([name, value]) => String.fromCharCode(name >>> 8, name & 0xff) + uint32(value))
    .join("");
  return frameHead(payload.length, TYPE.settings, 0, 0) + payload;
}

/** Says that the settings of the peer hold. */
export const SETTINGS_ACK: string = frameHead(0, TYPE.settings, FLAG.ack, 0);

/** Asks whether the peer is there. */
export const PING: string = frameHead(8, TYPE.ping, 0, 0) + "keelson!";

/** Answers a ping with its own eight bytes. */
export const pingAck = (data: string): string => frameHead(8, TYPE.ping, FLAG.ack, 0) + data;

/** Says that no stream after `last` is looked at. */
export function goAwayFrame(last: number, code: number, why: string): string {
  const payload = uint32(last) + uint32(code) + why;
  return frameHead(payload.length, TYPE.goAway, 0, 0) + payload;
}
