/**
 * Writes an answer of unknown length: small ones leave at once with their length, large ones in big pieces that wait
 * for the reader, compressed where that pays.
 *
 * @module
 */
import { type Gzip, constants, createGzip } from "node:zlib";
import type { ServerContext } from "../context.ts";
import { COMPRESS_FROM, compresses } from "./encode.ts";
import { drained } from "../http/drained.ts";
import type { OutStream } from "../http/exchange.ts";
import type { ServerRequest } from "../request.ts";
import { TurnLimit } from "../../util/turn-limit.ts";

/** Bytes that leave together. */
const PIECE = 131_072;
/** A piece may grow a little beyond that, by the part that fills it. */
const ROOM = PIECE + PIECE / 8;
/** Answers up to here, whose size is known, are made in one piece. */
const WHOLE = 1_048_576;
/** Smaller answers are not worth the way to the pool. */
const SMALL = 16_384;

/** Buffers that are kept for the next answer: big lists would else allocate as fast as they are sent. */
class Pool {
  readonly size: number;
  readonly #most: number;
  readonly #kept: Buffer[] = [];

  constructor(size: number, most: number) {
    this.size = size;
    this.#most = most;
  }

  take(): Buffer {
    return this.#kept.pop() ?? Buffer.allocUnsafeSlow(this.size);
  }

  give(buffer: Buffer): void {
    if (buffer.length === this.size && this.#kept.length < this.#most) this.#kept.push(buffer);
  }
}

const pieces = new Pool(ROOM, 32);
const pools: readonly Pool[] = [pieces, new Pool(262_144, 64), new Pool(WHOLE, 8)];

/** The pool whose buffers hold an answer of this size; undefined for small ones. */
const poolFor = (expected: number): Pool | undefined =>
  expected <= SMALL ? undefined : pools.find((pool) => expected <= pool.size);

/** See the head of this file. Call {@link StreamWriter.add} for each part, then {@link StreamWriter.end}. */
export class StreamWriter {
  readonly #server: ServerContext;
  readonly #request: ServerRequest;
  readonly #type: string;
  #buffer: Buffer;
  readonly #full: number;
  readonly #pool: Pool | undefined;
  #used = 0;
  #out: OutStream | undefined;
  readonly #turn = new TurnLimit();

  /** @param expected how many bytes will come, where that is known */
  constructor(server: ServerContext, request: ServerRequest, type: string, expected = 8192) {
    const whole = expected <= WHOLE;
    this.#pool = whole ? poolFor(expected) : pieces;
    this.#buffer = this.#pool?.take() ?? Buffer.allocUnsafe(expected);
    this.#full = whole ? Math.max(PIECE, expected + 1) : PIECE;
    this.#server = server;
    this.#request = request;
    this.#type = type;
  }

  /** Takes a part (it is copied). When the answer is true, call {@link StreamWriter.flush} before the next one. */
  add(part: Uint8Array): boolean {
    const end = this.#used + part.length;
    if (end > this.#buffer.length) this.#grow(end);
    this.#buffer.set(part, this.#used);
    this.#used = end;
    return end >= this.#full;
  }

  /** Takes one byte. */
  addByte(byte: number): void {
    if (this.#used === this.#buffer.length) this.#grow(this.#used + 1);
    this.#buffer[this.#used++] = byte;
  }

  /** Writes what has been added and waits until the reader has room; false when nobody listens any more. */
  async flush(): Promise<boolean> {
    const out = (this.#out ??= this.#open());
    const buffer = this.#buffer;
    const piece = buffer.subarray(0, this.#used);
    this.#request.bytesOut += this.#used;
    this.#buffer = pieces.take();
    this.#used = 0;
    if (!out.write(piece, () => pieces.give(buffer))) await out.drained();
    await this.#turn.pause();
    return !out.closed;
  }

  /** Ends the answer with what has been added. */
  end(): void {
    const rest = this.#buffer.subarray(0, this.#used);
    if (!this.#out && !this.#pool) {
      this.#request.respond(this.#request.code || 200, this.#request.headers(this.#type), rest);
      return;
    }
    const out = (this.#out ??= this.#open(rest.length));
    this.#request.bytesOut += rest.length;
    const buffer = this.#buffer;
    if (rest.length > 0) out.write(rest, () => this.#pool?.give(buffer));
    out.end();
  }

  /** Breaks the answer off, so that the client does not take what it has for all. */
  abort(): void {
    this.#out?.destroy();
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, Math.min(this.#buffer.length * 4, ROOM)));
    larger.set(this.#buffer.subarray(0, this.#used));
    this.#buffer = larger;
  }

  /** @param length how long the answer is, where that is known */
  #open(length?: number): OutStream {
    const request = this.#request;
    const headers = request.headers(this.#type);
    request.code ||= 200;
    if (!compresses(this.#server, request, length ?? COMPRESS_FROM)) {
      if (length !== undefined) headers["content-length"] = length;
      return request.exchange.stream(request.code, headers);
    }
    headers["content-encoding"] = "gzip";
    headers["vary"] = "Accept-Encoding";
    return new GzipOut(request.exchange.stream(request.code, headers));
  }
}

/** An answer that is compressed on its way. */
class GzipOut implements OutStream {
  onClose: (() => void) | undefined = undefined;
  readonly #out: OutStream;
  readonly #gzip: Gzip = createGzip({ level: constants.Z_BEST_SPEED });

  constructor(out: OutStream) {
    this.#out = out;
    const gzip = this.#gzip;
    gzip.on("data", (piece: Uint8Array) => {
      if (out.write(piece)) return;
      gzip.pause();
      void out.drained().then(() => gzip.resume());
    });
    gzip.on("end", () => out.end());
    gzip.on("error", () => out.destroy());
    out.onClose = () => {
      gzip.destroy();
      this.onClose?.();
    };
  }

  write(bytes: Uint8Array, taken?: () => void): boolean {
    return !this.closed && this.#gzip.write(bytes, taken);
  }

  get buffered(): number {
    return this.#gzip.writableLength + this.#out.buffered;
  }

  get closed(): boolean {
    return this.#out.closed;
  }

  drained(): Promise<void> {
    return this.closed ? Promise.resolve() : drained(this.#gzip);
  }

  end(): void {
    this.#gzip.end();
  }

  destroy(): void {
    this.#gzip.destroy();
    this.#out.destroy();
  }
}
