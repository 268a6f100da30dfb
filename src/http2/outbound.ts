import type { Output } from "./output.ts";

/** Waiting bytes above which a writer should wait. */
const HIGH_WATER_BYTES = 65_536;
/** Sent pieces that are kept while fewer wait. */
const MAX_SENT_PIECES = 64;

interface Piece {
  readonly bytes: Uint8Array;
  /** Called when the bytes are no longer needed. */
  readonly taken: (() => void) | undefined;
}

/**
 * A response: its header block, and bytes that wait for windows and for the socket (RFC 9113 8.1).
 *
 *     none ──► begun: the head waits or was written, bytes follow ──► ending: no more bytes follow ──► done
 */
export class Outbound {
  /** The header block, until it has been written. */
  head: string | undefined = undefined;
  isBegun = false;
  /** Whether all of its bytes were added. */
  isEnding = false;
  /** Whether its end was written. */
  isDone = false;
  /** The peer's window; it can be negative after a change of settings (RFC 9113 6.9.2). */
  window: number;
  /** Waiting bytes. */
  buffered = 0;
  #pieces: Piece[] = [];
  /** The first piece that was not written completely, and how much of it was. */
  #first = 0;
  #offset = 0;
  #drained: (() => void)[] = [];

  constructor(window: number) {
    this.window = window;
  }

  /** Adds bytes, which must not change before `taken` is called; returns whether the writer can go on. */
  add(bytes: Uint8Array, taken?: () => void): boolean {
    if (bytes.length > 0) this.#pieces.push({ bytes, taken });
    else taken?.();
    this.buffered += bytes.length;
    return this.buffered < HIGH_WATER_BYTES;
  }

  /** Moves bytes to an output. */
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
    if (this.buffered < HIGH_WATER_BYTES) this.#wake();
  }

  /** Resolves when the writer can go on, or the response was dropped. */
  drained(): Promise<void> {
    if (this.isDone || this.buffered < HIGH_WATER_BYTES) return Promise.resolve();
    return new Promise((resolve) => {
      this.#drained.push(resolve);
    });
  }

  /** Discards waiting bytes. */
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
    // A stream that always has bytes to send, such as a watch, would keep all that it has ever sent.
    const isMuch = this.#first >= MAX_SENT_PIECES && 2 * this.#first >= this.#pieces.length;
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
