import { ERROR } from "./constants.ts";
import { ConnectionError } from "./errors.ts";

/** Frames of one header block: empty ones, and very many, say nothing that fewer would not (CVE-2024-27983). */
const MOST_FRAMES = 256;

/** A header block that has begun and goes on in CONTINUATION frames (RFC 9113 6.10). */
export class HeaderBlock {
  readonly stream: number;
  readonly isEnd: boolean;
  readonly #most: number;
  #pieces: Buffer[] = [];
  #bytes = 0;

  /** @param most bytes that it may have */
  constructor(stream: number, isEnd: boolean, most: number) {
    this.stream = stream;
    this.isEnd = isEnd;
    this.#most = most;
  }

  /** Bytes that have come of it. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Adds a part.
   *
   * @throws ConnectionError where it has too many parts or bytes
   */
  add(bytes: Buffer, from: number, to: number): void {
    this.#pieces.push(Buffer.from(bytes.subarray(from, to)));
    this.#bytes += to - from;
    if (this.#pieces.length > MOST_FRAMES || this.#bytes > this.#most) {
      throw new ConnectionError(ERROR.enhanceYourCalm, `expected headers of ${this.#most} bytes at most`);
    }
  }

  /** All of it. */
  whole(): Buffer {
    return Buffer.concat(this.#pieces, this.#bytes);
  }
}
