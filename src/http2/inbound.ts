import { attempt } from "../util/attempt.ts";
import { ERROR } from "./constants.ts";

function copyOf(piece: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(piece.length);
  piece.copy(copy);
  return copy;
}

/** Receives a body; an error ends its stream. */
export interface BodyListener {
  /** Receives a piece, which does not change. */
  data(piece: Uint8Array): void;
  /** The body is complete. */
  end(): void;
  /** The rest of the body will never come. */
  broken(): void;
}

/** Shorter pieces are copied together: each would cost more than its bytes, and keep the bytes around it in memory. */
const SHORT = 1024;
const BLOCK = 4096;

/**
 * The body of a request, with its window (RFC 9113 5.2 and 8.1.1).
 *
 * The reader extends the window by the memory that it has. So an unread body has at most the initial window.
 */
export class Inbound {
  /** The Content-Length; -1 without one. */
  readonly #expected: number;
  /** Bytes that the peer may send now, and the sum of all that it was allowed. */
  #window: number;
  #allowed: number;
  #received = 0;
  /** Unread bytes. */
  unread = 0;
  #waiting: Buffer[] = [];
  /** The block whose first bytes are the last waiting piece, while it has space. */
  #block: Buffer | undefined = undefined;
  #listener: BodyListener | undefined = undefined;
  #isStarted = false;
  #isEnded = false;
  #isBroken = false;
  readonly #onFault: (error: unknown) => void;

  /** @param onFault called with an error of the listener */
  constructor(expected: number, window: number, onFault: (error: unknown) => void) {
    this.#expected = expected;
    this.#onFault = onFault;
    this.#window = window;
    this.#allowed = window;
  }

  /** Whether the body is complete. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Bytes that the peer may send now. */
  get window(): number {
    return this.#window;
  }

  /** Bytes that have not arrived; -1 where the length is unknown. */
  get missing(): number {
    return this.#expected < 0 ? -1 : this.#expected - this.#received;
  }

  /** Counts a DATA frame with its padding; returns an error code where it is not allowed. */
  count(bytes: number): number {
    if (this.#isEnded) return ERROR.streamClosed;
    this.#window -= bytes;
    return this.#window < 0 ? ERROR.flowControl : ERROR.none;
  }

  /** Receives the data of a frame; returns an error code where it contradicts the Content-Length. */
  take(bytes: Buffer, from: number, to: number, isEnd: boolean): number {
    this.#received += to - from;
    if (this.#expected >= 0 && this.#received > this.#expected) return ERROR.protocol;
    if (to > from) this.#receive(bytes.subarray(from, to));
    return isEnd && !this.#isBroken ? this.end() : ERROR.none;
  }

  /** Ends the body; returns an error code where bytes are missing. */
  end(): number {
    if (this.#expected >= 0 && this.#received !== this.#expected) return ERROR.protocol;
    this.#isEnded = true;
    if (this.#isStarted) this.#notify("end");
    return ERROR.none;
  }

  /** Discards unread and later bytes. */
  break(): void {
    if (this.#isBroken || (this.#isEnded && this.#isStarted)) return;
    this.#isBroken = true;
    this.#waiting = [];
    this.#block = undefined;
    this.unread = 0;
    if (this.#listener) this.#notify("broken");
  }

  /** Sets the listener, once; it is notified when the body breaks off. */
  open(listener: BodyListener): void {
    this.#listener = listener;
    if (this.#isBroken) this.#notify("broken");
  }

  /** Delivers unread bytes, and later ones when they arrive. */
  start(): void {
    this.#isStarted = true;
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#block = undefined;
    this.unread = 0;
    for (const piece of waiting) if (!this.#isBroken) this.#deliver(piece);
    if (this.#isEnded && !this.#isBroken) this.#notify("end");
  }

  /** Allows a sum of bytes; returns by how much the peer's window grows. */
  allow(bytes: number): number {
    const more = Math.max(0, bytes - this.#allowed);
    this.#allowed += more;
    this.#window += more;
    return this.#isEnded ? 0 : more;
  }

  /** Returns padding to the window. */
  giveBack(bytes: number): void {
    this.#window += bytes;
  }

  #receive(piece: Buffer): void {
    if (this.#isStarted) return this.#deliver(piece);
    this.unread += piece.length;
    if (piece.length < SHORT && this.#waiting.length > 0) this.#join(piece);
    else this.#keep(piece);
  }

  #deliver(piece: Buffer): void {
    try {
      this.#listener!.data(piece);
    } catch (error) {
      this.#onFault(error);
    }
  }

  #notify(what: "end" | "broken"): void {
    void attempt(() => this.#listener![what](), this.#onFault);
  }

  #keep(piece: Buffer): void {
    this.#block = undefined;
    // A small part of a larger buffer would keep all of it in memory.
    const isSmall = piece.length < SHORT || 2 * piece.length < piece.buffer.byteLength;
    this.#waiting.push(isSmall ? copyOf(piece) : piece);
  }

  /** Copies a short piece to a block with the short ones before it. */
  #join(piece: Buffer): void {
    let used = this.#block ? this.#waiting.pop()!.length : 0;
    if (!this.#block || this.#block.length - used < piece.length) {
      if (this.#block) this.#waiting.push(this.#block.subarray(0, used));
      this.#block = Buffer.allocUnsafeSlow(BLOCK);
      used = 0;
    }
    piece.copy(this.#block, used);
    this.#waiting.push(this.#block.subarray(0, used + piece.length));
  }
}
