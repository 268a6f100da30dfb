/**
 * Bounds the messages that clients have not taken, of all streams together. Each stream has at most one, of some megabytes; a
 * user may have a hundred streams, and a client that takes nothing is broken off only after a minute.
 *
 * @module
 */

/** Someone who can be broken off. */
interface Receiver {
  readonly user: string;
  destroy(): void;
}

/** The bytes of all of them; with more, a message of the user with the most bytes goes, and the stream that it is for. */
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

  /**
   * Counts a message until it was taken. If all together are too many, the user who has the most loses the stream whose message
   * has waited longest; so a user with many streams ends none of others.
   */
  async count(receiver: Receiver, text: string, taken: Promise<void>): Promise<void> {
    const bytes = BYTES_A_CHARACTER * text.length;
    this.#bytesOf.set(receiver, bytes);
    this.#bytes += bytes;
    while (this.#bytes > this.#most) {
      const oldest = this.#oldestOfMost();
      this.#forget(oldest);
      oldest.destroy();
    }
    try {
      await taken;
    } finally {
      this.#forget(receiver);
    }
  }

  /** There is one: they have more bytes than they may have. */
  #oldestOfMost(): Receiver {
    const users = new Map<string, { bytes: number; readonly oldest: Receiver }>();
    let most: { bytes: number; readonly oldest: Receiver } | undefined;
    for (const [receiver, bytes] of this.#bytesOf) {
      const user = users.get(receiver.user) ?? { bytes: 0, oldest: receiver };
      user.bytes += bytes;
      users.set(receiver.user, user);
      if (!most || user.bytes > most.bytes) most = user;
    }
    return most!.oldest;
  }

  #forget(receiver: Receiver): void {
    this.#bytes -= this.#bytesOf.get(receiver) ?? 0;
    this.#bytesOf.delete(receiver);
  }
}
