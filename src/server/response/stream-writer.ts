/**
 * Writes a response of unknown length: small ones are sent at once with their length, large ones in big pieces as fast as the client reads,
 * compressed where that saves time.
 *
 * @module
 */
import { type Gzip, constants, createGzip } from "node:zlib";
import { BufferPool } from "../../util/buffer-pool.ts";
import { COMPRESS_FROM, compresses, varyBy } from "./encode.ts";
import { drained } from "../request/drained.ts";
import type { OutStream } from "../request/exchange.ts";
import type { HttpResponse, ResponseParts } from "../request/response.ts";
import { PIECE, CAPACITY, pieces } from "./pieces.ts";
import type { Slice } from "../../util/loop.ts";

/** The size of a piece while many responses are unread. */
const SMALL_PIECE = 16_384;
/** When more bytes than these wait for their readers, pieces become small. */
const MANY_UNTAKEN = 32 * 1024 * 1024;
/** Responses up to here, whose size is known, are made in one piece. */
export const WHOLE = 1_048_576;
/** Bytes made for one reader that may be unread without a seat, while few wait and while many do. */
const MUCH = 524_288;
const FEW = 65_536;
/** Smaller responses are not worth a job in the pool. */
const SMALL = 16_384;

/** Whether the clients of a server read what they are sent. */
const isTaken = ({ untaken }: ResponseParts): boolean => untaken.bytes < MANY_UNTAKEN;

const smallPieces = new BufferPool(SMALL_PIECE + SMALL_PIECE / 8, 32);
const pools: readonly BufferPool[] = [pieces, new BufferPool(262_144, 64), new BufferPool(WHOLE, 8)];

/** Where the memory of a piece comes from, and when it is full. */
const pieceSize = (server: ResponseParts): [BufferPool, number] =>
  isTaken(server) ? [pieces, PIECE] : [smallPieces, SMALL_PIECE];

/** What zlib takes for a stream: 1 << (windowBits + 2) and 1 << (memLevel + 9), of 15 and 8. */
const GZIP_BYTES = 262_144;
const NOTHING = Buffer.alloc(0);

/** The pool whose buffers hold a response of this size; undefined for small ones. */
const poolFor = (expected: number): BufferPool | undefined =>
  expected <= SMALL ? undefined : pools.find((pool) => expected <= pool.size);

/** See the head of this file. Call {@link StreamWriter.add} for each part, then {@link StreamWriter.end}. */
export class StreamWriter {
  readonly #response: HttpResponse;
  readonly #type: string;
  readonly #more: Readonly<Record<string, string>> | undefined;
  #buffer: Buffer;
  #full: number;
  #pool: BufferPool | undefined;
  #used = 0;
  /** A part that is sent unchanged, after the parts before it. */
  #large: Uint8Array | undefined;
  #out: OutStream | undefined;
  /** Bytes that were written and not taken. */
  #untaken = 0;
  readonly #slice: Slice;

  /**
   * @param expected how many bytes will come, where that is known
   * @param more further headers
   */
  constructor(response: HttpResponse, type: string, expected = 8192, more?: Readonly<Record<string, string>>) {
    const { server } = response;
    const whole = expected <= (isTaken(server) ? WHOLE : SMALL_PIECE);
    if (whole) {
      this.#pool = poolFor(expected);
      this.#buffer = this.#pool?.take() ?? Buffer.allocUnsafe(expected);
      this.#full = Math.max(pieceSize(server)[1], expected + 1);
    } else {
      [this.#pool, this.#full] = pieceSize(server);
      this.#buffer = this.#pool.take();
    }
    this.#response = response;
    this.#slice = server.clock.loop.slice();
    this.#type = type;
    this.#more = more;
  }

  /**
   * Takes a part. When the result is true, call {@link StreamWriter.flush} before the next one.
   *
   * @param isKept that the part never changes: it need not be copied
   * @param from where it begins
   */
  add(part: Uint8Array, isKept = false, from = 0): boolean {
    const length = part.length - from;
    const end = this.#used + length;
    if (end > this.#buffer.length) {
      if (isKept && length > SMALL_PIECE) {
        this.#large = part.subarray(from);
        return true;
      }
      this.#grow(end);
    }
    if (from > 0 && part instanceof Buffer) part.copy(this.#buffer, this.#used, from);
    else this.#buffer.set(from > 0 ? part.subarray(from) : part, this.#used);
    this.#used = end;
    return end >= this.#full;
  }

  /** Takes one byte. */
  addByte(byte: number): void {
    if (this.#used === this.#buffer.length) this.#grow(this.#used + 1);
    this.#buffer[this.#used++] = byte;
  }

  /** Writes what has been added and waits until the reader has read enough; false when the reader has left. */
  async flush(): Promise<boolean> {
    const out = (this.#out ??= this.#open());
    let hasRoom = this.#send(out);
    this.#used = 0;
    this.#buffer = NOTHING;
    if (this.#large) {
      this.#response.bytesOut += this.#large.length;
      hasRoom = out.write(this.#large);
      this.#large = undefined;
    }
    if (!hasRoom) await this.#drained(out);
    // Many whose readers have gone at once do not wait for turns: nothing is left to do.
    if (!out.closed) await this.#slice.pause();
    if (out.closed) return false;
    [this.#pool, this.#full] = pieceSize(this.#response.server);
    this.#buffer = this.#pool.take();
    return true;
  }

  /** Waits for the reader: without a seat where it takes long, unless the response holds much memory for this reader alone. */
  #drained(out: OutStream): Promise<void> {
    const { server, seats } = this.#response;
    const { slowClients } = server;
    return this.#untaken > (isTaken(server) ? MUCH : FEW)
      ? slowClients.waitUntilTaken(seats, out.drained())
      : slowClients.waitFor(seats, out.drained());
  }

  /** Ends the response with what has been added. */
  end(): void {
    const rest = this.#buffer.subarray(0, this.#used);
    if (!this.#out && !this.#pool) {
      this.#response.respond(this.#response.code || 200, this.#response.headers(this.#type), rest);
      return;
    }
    const out = (this.#out ??= this.#open(rest.length));
    this.#send(out);
    out.end();
  }

  /** Writes what has been added; false when the reader is slower. */
  #send(out: OutStream): boolean {
    const buffer = this.#buffer;
    const pool = this.#pool;
    const length = this.#used;
    if (length === 0) return true;
    this.#response.bytesOut += length;
    this.#count(length);
    return out.write(buffer.subarray(0, length), () => {
      pool?.give(buffer);
      this.#count(-Math.min(length, this.#untaken));
    });
  }

  #count(bytes: number): void {
    if (this.#response.incoming.sent.connection.address === "") return;
    this.#untaken += bytes;
    this.#response.server.untaken.bytes += bytes;
  }

  /** Breaks the response off, so that the client does not take a part of it for all. */
  abort(): void {
    this.#out?.destroy();
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, Math.min(this.#buffer.length * 4, CAPACITY)));
    larger.set(this.#buffer.subarray(0, this.#used));
    this.#buffer = larger;
  }

  /** @param length how long the response is, where that is known */
  #open(length?: number): OutStream {
    const response = this.#response;
    const headers = response.headers(this.#type);
    if (this.#more) Object.assign(headers, this.#more);
    const code = response.code || 200;
    if (!isTaken(response.server) || !compresses(response, length ?? COMPRESS_FROM)) {
      if (length !== undefined) headers["content-length"] = length;
      return this.#followed(response.stream(code, headers));
    }
    headers["content-encoding"] = "gzip";
    headers["vary"] = varyBy(this.#more?.["vary"]);
    this.#count(GZIP_BYTES);
    return this.#followed(new GzipOut(response.stream(code, headers)));
  }

  /** Bytes that the reader has not read are dropped with the stream. */
  #followed(out: OutStream): OutStream {
    out.onClose = () => this.#count(-this.#untaken);
    return out;
  }
}

/** A response that is compressed while it is sent. */
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
