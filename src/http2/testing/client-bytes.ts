import { FLAG, PREFACE, TYPE, frame, settings, uint32 } from "./frames.ts";
import { type Field, HpackEncoder } from "./hpack.ts";
import type { Http2Model } from "./model.ts";
import { type BlockPart, type ClientStep, type FloodKind, requestFields } from "./steps.ts";

/** A body whose bytes show the stream and the offset. */
const PATTERN: Buffer = Buffer.from(Array.from({ length: (1 << 20) + 256 }, (_, i) => (i * 7 + (i >> 8)) & 255));
const SPAN = 1 << 16;

/** Returns bytes of the body of a stream. */
export function bodyBytes(id: number, at: number, length: number): Buffer {
  const from = (id * 31 + at) % SPAN;
  return length <= PATTERN.length - SPAN ? PATTERN.subarray(from, from + length) : Buffer.alloc(length, id);
}

const get = (id: number): ClientStep => ({ do: "headers", id, parts: requestFields("GET", "/", []), end: true });

const FLOODS: Readonly<Record<FloodKind, (id: number) => readonly ClientStep[]>> = {
  ping: () => [{ do: "ping" }],
  settings: () => [{ do: "settings", values: [] }],
  window: () => [{ do: "window", id: 0, more: 1 }],
  table: (id) => [{ do: "settings", values: [[1, id % 4 === 1 ? 0 : 4096]] }],
  priority: (id) => [{ do: "priority", id, on: 0 }],
  unknown: (id) => [{ do: "frame", type: 99, flags: 255, id, hex: "" }],
  get: (id) => [get(id)],
  post: (id) => [{ do: "headers", id, parts: requestFields("POST", "/", []) }],
  takenBack: (id) => [get(id), { do: "cancel", id, code: 8 }],
  byte: (id) => [{ do: "data", id, bytes: 1 }],
  nothing: (id) => [{ do: "data", id, bytes: 0 }],
};

/** Encodes the steps of one client. */
export class ClientBytes {
  readonly #model: Http2Model;
  readonly #encoder = new HpackEncoder();
  /** Bytes of each body so far. */
  readonly #bodies = new Map<number, number>();
  #pings = 0;

  /** @param model the state of the connection for the client */
  constructor(model: Http2Model) {
    this.#model = model;
  }

  of(step: ClientStep): Buffer {
    switch (step.do) {
      case "preface":
        return PREFACE;
      case "bytes":
        return Buffer.from(step.hex, "hex");
      case "frame":
        return frame(step.type, step.flags, step.id, Buffer.from(step.hex, "hex"));
      case "headers":
        return this.#headers(step);
      case "data": {
        const { id, bytes, end = false, pad } = step;
        const at = this.#bodies.get(id) ?? 0;
        const body = bodyBytes(id, at, bytes);
        this.#bodies.set(id, at + bytes);
        return padded(TYPE.data, end ? FLAG.endStream : 0, id, body, pad);
      }
      case "text": {
        const { id, base64, end = false, pad } = step;
        return padded(TYPE.data, end ? FLAG.endStream : 0, id, Buffer.from(base64, "base64"), pad);
      }
      case "settings":
        return settings(step.values);
      case "settingsAck":
        return frame(TYPE.settings, FLAG.ack, 0);
      case "ping": {
        const data = Buffer.alloc(8);
        data.writeUInt32BE(++this.#pings);
        return frame(TYPE.ping, step.ack ? FLAG.ack : 0, 0, data);
      }
      case "window":
        return frame(TYPE.windowUpdate, 0, step.id, uint32(step.more));
      case "cancel":
        return frame(TYPE.reset, 0, step.id, uint32(step.code));
      case "goAway":
        return frame(TYPE.goAway, 0, 0, Buffer.concat([uint32(0), uint32(step.code)]));
      case "priority":
        return frame(TYPE.priority, 0, step.id, Buffer.concat([uint32(step.on), Buffer.from([7])]));
      case "flood":
        return this.#flood(step);
      case "openWindows":
        return this.#openWindows();
    }
  }

  #headers({ id, parts, end = false, pad, on, cuts = [], open = false }: ClientStep & { do: "headers" }): Buffer {
    const block = Buffer.concat(parts.map((part) => this.#part(part)));
    const pieces: Buffer[] = [];
    let at = 0;
    for (const cut of cuts) pieces.push(block.subarray(at, (at += cut)));
    // The limit of a frame.
    for (; block.length - at > 16_000; at += 16_000) pieces.push(block.subarray(at, at + 16_000));
    pieces.push(block.subarray(at));
    const last = open ? -1 : pieces.length - 1;
    const priority = on === undefined ? Buffer.alloc(0) : Buffer.concat([uint32(on), Buffer.from([7])]);
    return Buffer.concat(
      pieces.map((piece, i) => {
        const flags = i === last ? FLAG.endHeaders : 0;
        if (i > 0) return frame(TYPE.continuation, flags, id, piece);
        const own = flags | (end ? FLAG.endStream : 0) | (on === undefined ? 0 : FLAG.priority);
        return padded(TYPE.headers, own, id, Buffer.concat([priority, piece]), pad);
      }),
    );
  }

  #flood({ of, id, times }: ClientStep & { do: "flood" }): Buffer {
    const next = of === "byte" || of === "nothing" ? 0 : 2;
    const one = (i: number): Buffer[] => FLOODS[of](id + next * i).map((step) => this.of(step));
    return Buffer.concat(Array.from({ length: times }, (_, i) => one(i)).flat());
  }

  #part(part: BlockPart): Buffer {
    if ("size" in part) return this.#encoder.size(part.size);
    if ("raw" in part) return Buffer.from(part.raw, "hex");
    const [name, value, how] = part;
    const field: Field = [name, value];
    return this.#encoder.field(field, how);
  }

  #openWindows(): Buffer {
    const { streams, room } = this.#model;
    const frames: Buffer[] = [];
    if (room < WIDE) frames.push(frame(TYPE.windowUpdate, 0, 0, uint32(WIDE - Math.max(room, -WIDE))));
    for (const stream of streams.values()) {
      if (stream.isClosed || stream.hasResponded || stream.room >= WIDE) continue;
      frames.push(frame(TYPE.windowUpdate, 0, stream.id, uint32(WIDE - Math.max(stream.room, -WIDE))));
    }
    return Buffer.concat(frames);
  }
}

/** More bytes than the responses of a test have on all streams together. */
const WIDE = 1 << 29;

function padded(type: number, flags: number, id: number, payload: Buffer, pad: number | undefined): Buffer {
  if (pad === undefined) return frame(type, flags, id, payload);
  return frame(type, flags | FLAG.padded, id, Buffer.concat([Buffer.from([pad]), payload, Buffer.alloc(pad)]));
}
