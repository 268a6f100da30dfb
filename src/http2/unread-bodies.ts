/** Bytes of one body that are accepted after its response; a client that sends more does not read the response. */
const MAX_BYTES = 4 << 20;

/** Options of {@link UnreadBodies}. */
export interface UnreadBodiesOptions {
  /** The maximum of bodies; above it the oldest is reset. */
  readonly maxBodies: number;
  /** Extends the peer's window of a stream. */
  extend(stream: number, bytes: number): void;
  /** Resets a stream without an error (RFC 9113 8.1). */
  stop(stream: number): void;
}

/**
 * Bodies of requests that got their response early, such as 413: later bytes are dropped.
 *
 * Many clients do not read a response before they have sent the whole body, or lose one that is followed by a reset. So the reset
 * comes late: after {@link MAX_BYTES}, or when there are too many bodies.
 */
export class UnreadBodies {
  readonly #options: UnreadBodiesOptions;
  /** The peer's windows, by stream. */
  readonly #windows = new Map<number, number>();

  constructor(options: UnreadBodiesOptions) {
    this.#options = options;
  }

  /** Adds a body with its window and the number of missing bytes, -1 where that is unknown. */
  add(stream: number, window: number, missing: number): void {
    const isLong = missing < 0 || missing > window;
    if (isLong) this.#options.extend(stream, MAX_BYTES);
    this.#windows.set(stream, isLong ? window + MAX_BYTES : window);
    if (this.#windows.size > this.#options.maxBodies) this.#stop(this.#windows.keys().next().value!);
  }

  has(stream: number): boolean {
    return this.#windows.has(stream);
  }

  /** Counts bytes with their padding. */
  take(stream: number, bytes: number, isEnd: boolean): void {
    const window = this.#windows.get(stream)! - bytes;
    if (isEnd) this.#windows.delete(stream);
    else if (window > 0) this.#windows.set(stream, window);
    else this.#stop(stream);
  }

  /** Removes a body that has ended. */
  delete(stream: number): void {
    this.#windows.delete(stream);
  }

  #stop(stream: number): void {
    this.#windows.delete(stream);
    this.#options.stop(stream);
  }
}
