/**
 * WebSockets over a bare connection: frames of a client, right and wrong ones, and what a server may answer (RFC 6455).
 *
 * @module
 */
import { createHash } from "node:crypto";
import { isUtf8 } from "node:buffer";
import { Violation } from "../../src/http2/testing/model.ts";
import type { Draw } from "../../src/util/testing/draw.ts";

/** A frame of a client. */
export interface FrameStep {
  readonly do: "frame";
  readonly op: number;
  /** The payload, in base64. */
  readonly base64: string;
  /** Whether more frames of the message follow. */
  readonly more?: boolean;
  /** Bits that no extension was agreed on for. */
  readonly reserved?: number;
  readonly isBare?: boolean;
  /** The length that it claims, beyond what any message may have. */
  readonly length?: number;
}

/** The key that clients show, and what proves that the server has read it. */
export const KEY = "dGhlIHNhbXBsZSBub25jZQ==";
export const ACCEPT: string = createHash("sha1").update(`${KEY}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");

const OP = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;
const MASK = Buffer.from([1, 2, 3, 4]);
/** Bytes that a message of a client may have. */
const MOST_BYTES = 65_536;
const MOST_CONTROL = 125;

const masked = (payload: Buffer): Buffer => Buffer.from(payload.map((byte, i) => byte ^ MASK[i % 4]!));

/** The bytes of a frame. */
export function frameBytes({ op, base64, more = false, reserved = 0, isBare = false, length }: FrameStep): Buffer {
  const payload = Buffer.from(base64, "base64");
  const size = length ?? payload.length;
  const mask = isBare ? 0 : 0x80;
  const first = (more ? 0 : 0x80) | (reserved << 4) | op;
  const head = size < 126 ? Buffer.alloc(2) : size < 65_536 ? Buffer.alloc(4) : Buffer.alloc(10);
  head[0] = first;
  head[1] = mask | (size < 126 ? size : size < 65_536 ? 126 : 127);
  if (head.length === 4) head.writeUInt16BE(size, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(size), 2);
  return Buffer.concat(isBare ? [head, payload] : [head, MASK, masked(payload)]);
}

/** Draws a frame; a wrong one now and then. */
export function drawFrame(draw: Draw, wrong: number): FrameStep {
  const frame = (op: number, payload: Buffer | string, more: Partial<FrameStep> = {}): FrameStep => ({
    do: "frame",
    op,
    base64: Buffer.from(payload).toString("base64"),
    ...more,
  });
  const code = (number: number): Buffer => Buffer.from([number >> 8, number & 255]);
  if (!draw.chance(wrong)) {
    return draw.one(
      () => frame(OP.ping, draw.bytes(draw.small(MOST_CONTROL + 1))),
      () => frame(OP.pong, draw.bytes(draw.small(20))),
      () => frame(OP.text, "x".repeat(draw.small(3000)), draw.chance(0.2) ? { more: true } : {}),
      () => frame(OP.binary, draw.bytes(draw.small(300))),
      () => frame(OP.continuation, "y", draw.chance(0.3) ? { more: true } : {}),
      () => (draw.chance(0.2) ? frame(OP.close, code(draw.pick([1000, 1001, 3000, 4999]))) : frame(OP.ping, "")),
    );
  }
  return draw.one(
    () => frame(draw.pick([3, 4, 7, 11, 15]), ""),
    () => frame(OP.text, "a", { reserved: 1 + draw.below(7) }),
    () => frame(OP.text, "a", { isBare: true }),
    () => frame(OP.text, Buffer.from([0xff])),
    () => frame(OP.ping, draw.bytes(MOST_CONTROL + 1)),
    () => frame(OP.ping, "", { more: true }),
    () => frame(OP.binary, "", { length: MOST_BYTES + 1 + draw.below(2 ** 31) }),
    () => frame(OP.binary, draw.bytes(MOST_BYTES + 1)),
    () => frame(OP.close, draw.pick([Buffer.from([3]), code(999), code(1005), code(5000)])),
  );
}

/** What a client and a server have said to each other since the handshake. */
export class WebSocketModel {
  /** Pings that were not answered. */
  readonly pings: Buffer[] = [];
  /** Whether the server has to end: a step said so, or it got invalid bytes. */
  mustEnd = false;
  /** Whether the server has said that it ends. */
  hasClosed = false;
  /** A message of which parts have come. */
  #message: { readonly isText: boolean; readonly pieces: Buffer[] } | undefined = undefined;
  #rest: Buffer = Buffer.alloc(0);

  /** A frame that the client sends. */
  client(step: FrameStep): void {
    if (this.mustEnd) return;
    const payload = Buffer.from(step.base64, "base64");
    if (isOdd(step) || this.#isOutOfTurn(step)) this.mustEnd = true;
    else if (step.op === OP.ping) this.pings.push(payload);
    else if (step.op === OP.close) this.mustEnd = true;
    else if (step.op < OP.close) this.#add(step, payload);
  }

  #isOutOfTurn({ op }: FrameStep): boolean {
    if (op >= OP.close) return false;
    return (op === OP.continuation) !== (this.#message !== undefined);
  }

  #add({ op, more = false }: FrameStep, payload: Buffer): void {
    this.#message ??= { isText: op === OP.text, pieces: [] };
    const { isText, pieces } = this.#message;
    pieces.push(payload);
    const whole = Buffer.concat(pieces);
    if (whole.length > MOST_BYTES) this.mustEnd = true;
    if (more) return;
    if (isText && !isUtf8(whole)) this.mustEnd = true;
    this.#message = undefined;
  }

  /** Bytes of the server. */
  server(bytes: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    for (;;) {
      const frame = cut(this.#rest);
      if (!frame) return;
      this.#rest = this.#rest.subarray(frame.bytes);
      this.#take(frame.op, frame.payload);
    }
  }

  #take(op: number, payload: Buffer): void {
    if (this.hasClosed) throw new Violation("a frame of a WebSocket behind its close");
    if (op === OP.close) this.hasClosed = true;
    else if (op === OP.text) takeEvent(payload.toString());
    else if (op === OP.pong) this.#pong(payload);
    else if (op !== OP.ping) throw new Violation(`a frame of a WebSocket with the opcode ${op}`);
  }

  #pong(payload: Buffer): void {
    const at = this.pings.findIndex((ping) => ping.equals(payload));
    if (at < 0) throw new Violation("a pong to no ping");
    // The last of several may be the only one that is answered (RFC 6455 5.5.3).
    this.pings.splice(0, at + 1);
  }
}

/** Whether a frame is wrong, whatever came before. */
function isOdd({ op, base64, more = false, reserved = 0, isBare = false, length }: FrameStep): boolean {
  const payload = Buffer.from(base64, "base64");
  const isControl = op >= OP.close;
  if (reserved !== 0 || isBare || length !== undefined || (op > OP.binary && op < OP.close) || op > OP.pong)
    return true;
  if (isControl && (more || payload.length > MOST_CONTROL)) return true;
  return op === OP.close && payload.length > 0 && !isCloseCode(payload);
}

function isCloseCode(payload: Buffer): boolean {
  if (payload.length < 2) return false;
  const code = payload.readUInt16BE(0);
  const isDefined = code >= 1000 && code <= 1014 && code !== 1004 && code !== 1005 && code !== 1006;
  return (isDefined || (code >= 3000 && code < 5000)) && isUtf8(payload.subarray(2));
}

function takeEvent(text: string): void {
  let type: unknown;
  try {
    type = (JSON.parse(text) as { type?: unknown }).type;
  } catch {
    throw new Violation(`a message that is no event: ${text.slice(0, 100)}`);
  }
  if (!["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"].includes(String(type)))
    throw new Violation(`an event of type ${String(type)}`);
}

/** The first frame of some bytes of a server; undefined where it is not whole. */
function cut(bytes: Buffer): { readonly op: number; readonly payload: Buffer; readonly bytes: number } | undefined {
  if (bytes.length < 2) return undefined;
  const [first, second] = bytes as unknown as [number, number];
  if (second & 0x80) throw new Violation("a frame of a server with a mask");
  if ((first & 0xf0) !== 0x80) throw new Violation(`a frame of a server that begins with ${first}`);
  const from = second < 126 ? 2 : second === 126 ? 4 : 10;
  if (bytes.length < from) return undefined;
  const length = from === 2 ? second : from === 4 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  if (bytes.length < from + length) return undefined;
  return { op: first & 15, payload: bytes.subarray(from, from + length), bytes: from + length };
}
