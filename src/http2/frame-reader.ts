/**
 * Splits the bytes of a connection into frames (RFC 9113 3.4 and 4.1). Complete frames are not copied; of an incomplete one its bytes
 * are kept.
 *
 * @module
 */
import { ERROR, FRAME_HEAD, PREFACE } from "./constants.ts";
import { ConnectionError } from "./errors.ts";

/** A frame; its payload is in `bytes`, between `from` and `to`, and valid during the call. */
export interface Frame {
  readonly type: number;
  readonly flags: number;
  /** 0 for the connection itself. */
  readonly stream: number;
  readonly bytes: Buffer;
  readonly from: number;
  readonly to: number;
}

/** Receives a frame; returns whether to continue. */
type Take = (frame: Frame) => boolean;

/** See the head of this file. */
export class FrameReader {
  readonly #maxPayload: number;
  readonly #take: Take;
  readonly #preface: string;
  /** Bytes of the preface so far. */
  #prefaceRead = 0;
  /** The incomplete frame, or its head, and the number of its bytes so far. */
  #begun: Buffer | undefined = undefined;
  #length = 0;

  /** @param preface the bytes before all frames; a server sends none */
  constructor(maxPayload: number, take: Take, preface: string = PREFACE) {
    this.#maxPayload = maxPayload;
    this.#take = take;
    this.#preface = preface;
  }

  /** Bytes of the incomplete frame. */
  get held(): number {
    return this.#begun?.length ?? 0;
  }

  /** Reads bytes. @throws ConnectionError where they are not HTTP/2, or a frame is too large */
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
    if (length > this.#maxPayload) {
      throw new ConnectionError(
        ERROR.frameSize,
        `expected a frame of ${this.#maxPayload} bytes at most, got ${length}`,
      );
    }
    return length;
  }

  /** Keeps the beginning of an incomplete frame. */
  #begin(piece: Buffer, at: number): void {
    const isHead = piece.length - at < FRAME_HEAD;
    const size = FRAME_HEAD + (isHead ? 0 : this.#payloadLength(piece, at));
    this.#begun = Buffer.allocUnsafeSlow(size);
    this.#length = piece.copy(this.#begun, 0, at);
  }

  /** Adds to the incomplete frame; returns where the rest of the piece begins. */
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
