import type { Output } from "./output.ts";

/** Bytes that wait before a writer is asked to wait, too. */
const MUCH = 65_536;
/** Pieces that were written and are still kept, where not even more of them wait. */
const MOST_MOVED = 64;

interface Piece {
  readonly bytes: Uint8Array;
  /** Called when the bytes need not be kept any more. */
  readonly taken: (() => void) | undefined;
}

/**
 * An answer on its way: its head, and the bytes that wait for windows and for the socket (RFC 9113 8.1).
 *
 *     none ──► begun: a head waits or has been written, bytes follow ──► ending: no more bytes follow ──► done
 */
export class Outbound {
  /** The header block, until it has been written. */
  head: string | undefined = undefined;
  /** Whether an answer has begun. */
  isBegun = false;
  /** Whether all of it has been handed in. */
  isEnding = false;
  /** Whether its end has been written. */
  isDone = false;
  /** Bytes that the peer lets us send; below 0 where it has changed its mind (RFC 9113 6.9.2). */
  window: number;
  /** Bytes that wait. */
  buffered = 0;
  #pieces: Piece[] = [];
  /** The first piece that has not been written as a whole, and how much of it has been. */
  #first = 0;
  #offset = 0;
  #drained: (() => void)[] = [];

  constructor(window: number) {
    this.window = window;
  }

  /** Adds bytes, which do not change before `taken` is called; whether the writer may go on at once. */
  add(bytes: Uint8Array, taken?: () => void): boolean {
    if (bytes.length > 0) this.#pieces.push({ bytes, taken });
    else taken?.();
    this.buffered += bytes.length;
    return this.buffered < MUCH;
  }

  /** Moves so many bytes to an output. */
  move(bytes: number, output: Output): void {
    this.buffered -= bytes;
    for (let left = bytes; left > 0;) {
      const piece = this.#pieces[this.#first]!;
      const part = Math.min(left, piece.bytes.length - this.#offset);
      const isWhole = part === piece.bytes.length;
      output.addBytes(isWhole ? piece.bytes : piece.bytes.subarray(this.#offset, this.#offset + part));
      left -= part;
      this.#offset += part;
      if (this.#offset === piece.bytes.length) this.#next(piece, output);
    }
    if (this.buffered < MUCH) this.#wake();
  }

  /** Resolves when there is room for more, or nobody takes any. */
  drained(): Promise<void> {
    if (this.isDone || this.buffered < MUCH) return Promise.resolve();
    return new Promise((resolve) => {
      this.#drained.push(resolve);
    });
  }

  /** Drops what waits: nobody takes it any more. */
  drop(): void {
    this.head = undefined;
    this.isDone = true;
    this.#pieces = [];
    this.buffered = 0;
    this.#wake();
  }

  #next({ taken }: Piece, output: Output): void {
    this.#offset = 0;
    this.#first++;
    // A stream that always has something to send, as that of a watch may, would keep all that it has ever sent.
    const isMuch = this.#first >= MOST_MOVED && 2 * this.#first >= this.#pieces.length;
    if (this.#first === this.#pieces.length || isMuch) {
      this.#pieces = this.#pieces.slice(this.#first);
      this.#first = 0;
    }
    if (taken) output.whenSent(taken);
  }

  #wake(): void {
    if (this.#drained.length === 0) return;
    const waiting = this.#drained;
    this.#drained = [];
    for (const resolve of waiting) resolve();
  }
}
