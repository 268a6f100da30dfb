/** Bytes of one body that are still taken after its answer; a client that sends more has not looked for an answer. */
const MOST_BYTES = 4 << 20;

/** What is told to the peer. */
export interface UnreadBodiesOptions {
  /** So many bodies at once; the oldest gives way to another one. */
  readonly most: number;
  /** Lets the peer send more of one. */
  extend(stream: number, bytes: number): void;
  /** Lets the peer send no more of one; that is no fault (RFC 9113 8.1). */
  stop(stream: number): void;
}

/**
 * Bodies whose requests were answered before all of them had come, as with 413: what still comes is dropped.
 *
 * Many clients look at no answer before they have sent all of their body, or lose the one that a reset of the stream follows at
 * once. So the reset comes late: after {@link MOST_BYTES}, or when there are too many of them.
 */
export class UnreadBodies {
  readonly #options: UnreadBodiesOptions;
  /** Bytes that the peer may still send, by stream. */
  readonly #windows = new Map<number, number>();

  constructor(options: UnreadBodiesOptions) {
    this.#options = options;
  }

  /**
   * Adds one.
   *
   * @param window bytes that the peer may send as it is
   * @param missing bytes that have not come; -1 where its length is not known
   */
  add(stream: number, window: number, missing: number): void {
    const isLong = missing < 0 || missing > window;
    if (isLong) this.#options.extend(stream, MOST_BYTES);
    this.#windows.set(stream, isLong ? window + MOST_BYTES : window);
    if (this.#windows.size > this.#options.most) this.#stop(this.#windows.keys().next().value!);
  }

  has(stream: number): boolean {
    return this.#windows.has(stream);
  }

  /** So many bytes have come, with their padding, or all that was missing. */
  take(stream: number, bytes: number, isEnd: boolean): void {
    const window = this.#windows.get(stream)! - bytes;
    if (isEnd) this.#windows.delete(stream);
    else if (window > 0) this.#windows.set(stream, window);
    else this.#stop(stream);
  }

  /** The peer sends no more of one. */
  delete(stream: number): void {
    this.#windows.delete(stream);
  }

  #stop(stream: number): void {
    this.#windows.delete(stream);
    this.#options.stop(stream);
  }
}
