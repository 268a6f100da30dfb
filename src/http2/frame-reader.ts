/**
 * Cuts what comes on a connection into frames (RFC 9113 3.4 and 4.1).
 *
 * A frame is handed over when all of it is there. Most are, in the piece that has just come; of one that is not, its own
 * bytes are kept, and nothing else of the piece.
 *
 * @module
 */
import { ERROR, FRAME_HEAD, PREFACE } from "./constants.ts";
import { ConnectionError } from "./errors.ts";

/** One frame; its payload lies in `bytes`, between `from` and `to`, and is valid during the call. */
export interface Frame {
  readonly type: number;
  readonly flags: number;
  /** 0 for the connection itself. */
  readonly stream: number;
  readonly bytes: Buffer;
  readonly from: number;
  readonly to: number;
}

/** Takes a frame; whether more of them are wanted. */
type Take = (frame: Frame) => boolean;

/** See the head of this file. */
export class FrameReader {
  readonly #largest: number;
  readonly #take: Take;
  readonly #preface: string;
  /** Bytes of the preface that have come. */
  #prefaceRead = 0;
  /** The frame that has begun: its head, then all of it; the first `#length` bytes are there. */
  #begun: Buffer | undefined = undefined;
  #length = 0;

  /**
   * @param largest bytes that a payload may have
   * @param preface what comes before all frames; a server sends none
   */
  constructor(largest: number, take: Take, preface: string = PREFACE) {
    this.#largest = largest;
    this.#take = take;
    this.#preface = preface;
  }

  /** Bytes that are kept of a frame that has begun. */
  get held(): number {
    return this.#begun?.length ?? 0;
  }

  /**
   * Reads a piece of what comes.
   *
   * @throws ConnectionError where it is no HTTP/2, or a frame is too large
   */
  read(piece: Buffer): void {
    let at = this.#prefaceRead < this.#preface.length ? this.#readPreface(piece) : 0;
    if (this.#begun) at = this.#complete(piece, at);
    while (!this.#begun && piece.length - at >= FRAME_HEAD) {
      const end = at + FRAME_HEAD + this.#payloadLength(piece, at);
      if (end > piece.length) break;
      if (!this.#take(frameAt(piece, at, end))) return;
      at = end;
    }
    if (at < piece.length) this.#begin(piece, at);
  }

  #readPreface(piece: Buffer): number {
    const rest = this.#preface.slice(this.#prefaceRead);
    const length = Math.min(piece.length, rest.length);
    if (piece.toString("latin1", 0, length) !== rest.slice(0, length)) {
      throw new ConnectionError(ERROR.protocol, "expected the preface of HTTP/2");
    }
    this.#prefaceRead += length;
    return length;
  }

  #payloadLength(bytes: Buffer, at: number): number {
    const length = bytes.readUIntBE(at, 3);
    if (length > this.#largest) {
      throw new ConnectionError(ERROR.frameSize, `expected a frame of ${this.#largest} bytes at most, got ${length}`);
    }
    return length;
  }

  /** Keeps the beginning of a frame that is not there as a whole. */
  #begin(piece: Buffer, at: number): void {
    const isHead = piece.length - at < FRAME_HEAD;
    const size = FRAME_HEAD + (isHead ? 0 : this.#payloadLength(piece, at));
    this.#begun = Buffer.allocUnsafeSlow(size);
    this.#length = piece.copy(this.#begun, 0, at);
  }

  /** Adds to the frame that has begun; where the rest of the piece begins. */
  #complete(piece: Buffer, from: number): number {
    let at = this.#fill(piece, from);
    const begun = this.#begun!;
    if (this.#length < begun.length) return at;
    if (begun.length === FRAME_HEAD) {
      const size = FRAME_HEAD + this.#payloadLength(begun, 0);
      this.#begun = Buffer.allocUnsafeSlow(size);
      begun.copy(this.#begun);
      at = this.#fill(piece, at);
      if (this.#length < size) return at;
    }
    const whole = this.#begun!;
    this.#begun = undefined;
    return this.#take(frameAt(whole, 0, whole.length)) ? at : piece.length;
  }

  #fill(piece: Buffer, from: number): number {
    const end = Math.min(piece.length, from + this.#begun!.length - this.#length);
    this.#length += piece.copy(this.#begun!, this.#length, from, end);
    return end;
  }
}

const frameAt = (bytes: Buffer, at: number, to: number): Frame => ({
  type: bytes[at + 3]!,
  flags: bytes[at + 4]!,
  stream: bytes.readUInt32BE(at + 5) & 0x7fffffff,
  bytes,
  from: at + FRAME_HEAD,
  to,
});
