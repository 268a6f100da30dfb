/**
 * Bounds the messages that clients have not taken, of all streams together. Each stream has at most one, of some megabytes; a
 * user may have a hundred streams, and a client that takes nothing is broken off only after a minute.
 *
 * @module
 */

/** Someone who can be broken off. */
interface Receiver {
  destroy(): void;
}

/** The bytes of all of them; with more, the oldest message goes, and the stream that it is for. */
const MAX_BYTES = 96 << 20;
/** A character of the text, and the same in the buffer of the socket, which may be as long again. */
const BYTES_A_CHARACTER = 3;

/** See the head of this file. */
export class Untaken {
  readonly #most: number;
  /** The oldest message first. */
  readonly #bytesOf = new Map<Receiver, number>();
  #bytes = 0;

  constructor(most = MAX_BYTES) {
    this.#most = most;
  }

  /** The bytes that clients have not taken. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Counts a message until it was taken. Disconnects the client that reads least, if all together are too many. */
  async count(receiver: Receiver, text: string, taken: Promise<void>): Promise<void> {
    const bytes = BYTES_A_CHARACTER * text.length;
    this.#bytesOf.set(receiver, bytes);
    this.#bytes += bytes;
    for (const oldest of this.#bytesOf.keys()) {
      if (this.#bytes <= this.#most) break;
      this.#forget(oldest);
      oldest.destroy();
    }
    try {
      await taken;
    } finally {
      this.#forget(receiver);
    }
  }

  #forget(receiver: Receiver): void {
    this.#bytes -= this.#bytesOf.get(receiver) ?? 0;
    this.#bytesOf.delete(receiver);
  }
}
