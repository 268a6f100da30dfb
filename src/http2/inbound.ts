import { attempt } from "../util/attempt.ts";
import { ERROR } from "./constants.ts";

function copyOf(piece: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(piece.length);
  piece.copy(copy);
  return copy;
}

/** Hears of a body; one that fails ends its stream. */
export interface BodyListener {
  /** A piece has come; it does not change. */
  data(piece: Uint8Array): void;
  /** All of it has come. */
  end(): void;
  /** The rest will never come. */
  broken(): void;
}

/** Shorter pieces are copied together: each would cost more than it says, and keep what came with it in memory. */
const SHORT = 1024;
const BLOCK = 4096;

/**
 * The body of a request: what the peer may send of it, and what has come (RFC 9113 5.2 and 8.1.1).
 *
 * Its window is opened by whoever reads it, by as much as there is room for. So a body that nobody reads yet takes the window
 * that every stream begins with, and no more.
 */
export class Inbound {
  /** Bytes that its Content-Length says; -1 for none. */
  readonly #expected: number;
  /** Bytes that the peer may send now, and those that it could send in all. */
  #window: number;
  #allowed: number;
  #received = 0;
  /** Bytes that have come and nobody has read. */
  unread = 0;
  /** What has come and nobody has read. */
  #waiting: Buffer[] = [];
  /** The block whose first bytes are the last of what waits; there while it has room. */
  #block: Buffer | undefined = undefined;
  #listener: BodyListener | undefined = undefined;
  #isStarted = false;
  #isEnded = false;
  #isBroken = false;
  readonly #onFault: (error: unknown) => void;

  /** @param onFault is told when the listener fails */
  constructor(expected: number, window: number, onFault: (error: unknown) => void) {
    this.#expected = expected;
    this.#onFault = onFault;
    this.#window = window;
    this.#allowed = window;
  }

  /** Whether all of it has come. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Bytes that the peer may send now. */
  get window(): number {
    return this.#window;
  }

  /** Bytes that have not come; -1 where nobody has said how many there are. */
  get missing(): number {
    return this.#expected < 0 ? -1 : this.#expected - this.#received;
  }

  /** Counts a frame of DATA, padding too; the error code where it may not come. */
  count(bytes: number): number {
    if (this.#isEnded) return ERROR.streamClosed;
    this.#window -= bytes;
    return this.#window < 0 ? ERROR.flowControl : ERROR.none;
  }

  /** Takes what a frame says, and whether it was the last one; the error code where it contradicts the Content-Length. */
  take(bytes: Buffer, from: number, to: number, isEnd: boolean): number {
    this.#received += to - from;
    if (this.#expected >= 0 && this.#received > this.#expected) return ERROR.protocol;
    if (to > from) this.#deliver(bytes.subarray(from, to));
    return isEnd && !this.#isBroken ? this.end() : ERROR.none;
  }

  /** No more comes; the error code where more was to come. */
  end(): number {
    if (this.#expected >= 0 && this.#received !== this.#expected) return ERROR.protocol;
    this.#isEnded = true;
    if (this.#isStarted) this.#tell("end");
    return ERROR.none;
  }

  /** Nobody is told any more of what comes, nor of what has come and was not read. */
  break(): void {
    if (this.#isBroken || (this.#isEnded && this.#isStarted)) return;
    this.#isBroken = true;
    this.#waiting = [];
    this.#block = undefined;
    this.unread = 0;
    if (this.#listener) this.#tell("broken");
  }

  /** Names who reads it, once; it is told from now on when the body breaks off. */
  open(listener: BodyListener): void {
    this.#listener = listener;
    if (this.#isBroken) this.#tell("broken");
  }

  /** Delivers what has come, and all that comes from now on. */
  start(): void {
    this.#isStarted = true;
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#block = undefined;
    this.unread = 0;
    for (const piece of waiting) if (!this.#isBroken) this.#hand(piece);
    if (this.#isEnded && !this.#isBroken) this.#tell("end");
  }

  /** Permits so many bytes in all; the bytes by which the window of the peer grows. */
  allow(bytes: number): number {
    const more = Math.max(0, bytes - this.#allowed);
    this.#allowed += more;
    this.#window += more;
    return this.#isEnded ? 0 : more;
  }

  /** Gives bytes back that were no part of it. */
  giveBack(bytes: number): void {
    this.#window += bytes;
  }

  #deliver(piece: Buffer): void {
    if (this.#isStarted) {
      this.#hand(piece);
      return;
    }
    this.unread += piece.length;
    if (piece.length < SHORT && this.#waiting.length > 0) this.#join(piece);
    else this.#keep(piece);
  }

  #hand(piece: Buffer): void {
    try {
      this.#listener!.data(piece);
    } catch (error) {
      this.#onFault(error);
    }
  }

  #tell(what: "end" | "broken"): void {
    void attempt(() => this.#listener![what](), this.#onFault);
  }

  #keep(piece: Buffer): void {
    this.#block = undefined;
    // A small part of what came at once would keep all of it.
    const isSmall = piece.length < SHORT || 2 * piece.length < piece.buffer.byteLength;
    this.#waiting.push(isSmall ? copyOf(piece) : piece);
  }

  /** Keeps a short piece in one block with the short ones before it. */
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
