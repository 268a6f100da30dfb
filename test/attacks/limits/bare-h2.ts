/**
 * One request of HTTP/2 in frames of our own: its headers may be larger than a client library sends.
 *
 * @module
 */
import type { TLSSocket } from "node:tls";
import {
  FLAG,
  PREFACE,
  SETTING,
  TYPE,
  frame,
  requestBlock,
  settings,
  uint32,
} from "../../../src/http2/testing/frames.ts";
import type { HeaderList } from "./request.ts";

/** As many bytes as the server takes in a frame, once its settings are acknowledged. */
const FRAME_BYTES = 128 * 1024;
const WINDOW = 2 ** 30;
const FRAME_HEAD = 9;

const BEGIN = Buffer.concat([
  PREFACE,
  settings([[SETTING.initialWindowSize, WINDOW]]),
  frame(TYPE.windowUpdate, 0, 0, uint32(WINDOW)),
]);

/** A request without a body. */
function requestFrames(method: string, path: string, headers: HeaderList): Buffer {
  const block = requestBlock(method, path, headers);
  const frames: Buffer[] = [];
  for (let at = 0; at === 0 || at < block.length; at += FRAME_BYTES) {
    const end = at + FRAME_BYTES >= block.length ? FLAG.endHeaders : 0;
    const piece = block.subarray(at, at + FRAME_BYTES);
    frames.push(
      at === 0 ? frame(TYPE.headers, FLAG.endStream | end, 1, piece) : frame(TYPE.continuation, end, 1, piece),
    );
  }
  return Buffer.concat(frames);
}

/** Sends a request on a new connection and reads its answer to the end; its code, 0 where there was none. */
export function askBare(socket: TLSSocket, method: string, path: string, headers: HeaderList): Promise<number> {
  return new Promise((resolve) => {
    let rest: Buffer = Buffer.alloc(0);
    let code = 0;
    const take = (type: number, flags: number, stream: number, payload: Buffer): void => {
      if (type === TYPE.settings && flags === 0)
        socket.write(Buffer.concat([frame(TYPE.settings, FLAG.ack, 0), requestFrames(method, path, headers)]));
      if (type === TYPE.headers) code ||= statusOf(payload);
      const isLast = type === TYPE.reset || (type <= TYPE.headers && (flags & FLAG.endStream) !== 0);
      if (stream === 1 && isLast) socket.destroy();
    };
    socket.on("data", (piece: Buffer) => {
      rest = Buffer.concat([rest, piece]);
      while (rest.length >= FRAME_HEAD && rest.length >= FRAME_HEAD + rest.readUIntBE(0, 3)) {
        const end = FRAME_HEAD + rest.readUIntBE(0, 3);
        take(rest[3]!, rest[4]!, rest.readUInt32BE(5), rest.subarray(FRAME_HEAD, end));
        rest = rest.subarray(end);
      }
    });
    socket.on("close", () => resolve(code));
    socket.write(BEGIN);
  });
}

/** Codes that HPACK has a byte for (RFC 7541 A, 8 to 14). */
const INDEXED = [200, 204, 206, 304, 400, 404, 500];

/** The status that a block of headers begins with: by its place in the table, or three digits in Huffman's code (RFC 7541 B). */
function statusOf(block: Buffer): number {
  const first = block[0]!;
  if (first >= 0x80) return INDEXED[first - 0x88] ?? 0;
  const value = block.subarray(2, 2 + (block[1]! & 0x7f));
  if (block[1]! < 0x80) return Number(value.toString("latin1"));
  let bits = [...value].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  let digits = "";
  while (digits.length < 3) {
    // 0, 1 and 2 have five bits, the others six.
    const isShort = bits.startsWith("000");
    digits += isShort ? parseInt(bits.slice(0, 5), 2) : parseInt(bits.slice(0, 6), 2) - 0b010110;
    bits = bits.slice(isShort ? 5 : 6);
  }
  return Number(digits);
}
