/**
 * Writes an answer of unknown length: small ones leave at once with their length, large ones in big pieces that wait
 * for the reader, compressed where that pays.
 *
 * @module
 */
import { type Gzip, constants, createGzip } from "node:zlib";
import type { ServerContext } from "./context.ts";
import { COMPRESS_FROM, compresses } from "./encode.ts";
import type { OutStream } from "./exchange.ts";
import type { ServerRequest } from "./request.ts";

/** Bytes that leave together. */
const PIECE = 131_072;

/** Longest time on the event loop before others get a turn, in ms. */
const TURN_MILLIS = 10;

/** See the head of this file. Call {@link StreamWriter.add} for each part, then {@link StreamWriter.end}. */
export class StreamWriter {
  readonly #server: ServerContext;
  readonly #request: ServerRequest;
  readonly #type: string;
  #buffer: Buffer = Buffer.allocUnsafe(8192);
  #used = 0;
  #out: OutStream | undefined;
  #turnBegan: number;

  constructor(server: ServerContext, request: ServerRequest, type: string) {
    this.#server = server;
    this.#request = request;
    this.#type = type;
    this.#turnBegan = server.clock.steady();
  }

  /** Takes a part (it is copied). When the answer is true, call {@link StreamWriter.flush} before the next one. */
  add(part: Uint8Array): boolean {
    const end = this.#used + part.length;
    if (end > this.#buffer.length) this.#grow(end);
    this.#buffer.set(part, this.#used);
    this.#used = end;
    return end >= PIECE;
  }

  /** Takes one byte. */
  addByte(byte: number): void {
    if (this.#used === this.#buffer.length) this.#grow(this.#used + 1);
    this.#buffer[this.#used++] = byte;
  }

  /** Writes what has been added and waits until the reader has room; false when nobody listens any more. */
  async flush(): Promise<boolean> {
    const out = (this.#out ??= this.#open());
    const piece = this.#buffer.subarray(0, this.#used);
    this.#request.bytesOut += this.#used;
    this.#buffer = Buffer.allocUnsafeSlow(PIECE + PIECE / 8);
    this.#used = 0;
    if (!out.write(piece)) await out.drained();
    if (this.#server.clock.steady() - this.#turnBegan > TURN_MILLIS) {
      await new Promise<void>((resolve) => {
        setImmediate(resolve);
      });
    }
    this.#turnBegan = this.#server.clock.steady();
    return !out.closed;
  }

  /** Ends the answer with what has been added. */
  end(): void {
    const rest = this.#buffer.subarray(0, this.#used);
    const { code } = this.#request;
    if (!this.#out) {
      this.#request.respond(code || 200, this.#request.headers(this.#type), rest);
      return;
    }
    this.#request.bytesOut += rest.length;
    if (rest.length > 0) this.#out.write(rest);
    this.#out.end();
  }

  /** Breaks the answer off, so that the client does not take what it has for all. */
  abort(): void {
    this.#out?.destroy();
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, Math.min(this.#buffer.length * 4, PIECE + PIECE / 8)));
    larger.set(this.#buffer.subarray(0, this.#used));
    this.#buffer = larger;
  }

  #open(): OutStream {
    const request = this.#request;
    const headers = request.headers(this.#type);
    request.code ||= 200;
    if (!compresses(this.#server, request, COMPRESS_FROM)) return request.exchange.stream(request.code, headers);
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

  write(bytes: Uint8Array): boolean {
    return !this.closed && this.#gzip.write(bytes);
  }

  get buffered(): number {
    return this.#gzip.writableLength + this.#out.buffered;
  }

  get closed(): boolean {
    return this.#out.closed;
  }

  drained(): Promise<void> {
    if (this.closed || !this.#gzip.writableNeedDrain) return Promise.resolve();
    return new Promise((resolve) => {
      const gzip = this.#gzip;
      const done = (): void => {
        gzip.off("drain", done);
        gzip.off("close", done);
        resolve();
      };
      gzip.on("drain", done);
      gzip.on("close", done);
    });
  }

  end(): void {
    this.#gzip.end();
  }

  destroy(): void {
    this.#gzip.destroy();
    this.#out.destroy();
  }
}
