import { ERROR } from "./constants.ts";
import { ConnectionError } from "./errors.ts";

/** Frames of one header block; more are an attack (CVE-2024-27983). */
const MAX_FRAMES = 256;

/** An incomplete header block, which continues in CONTINUATION frames (RFC 9113 6.10). */
export class HeaderBlock {
  readonly stream: number;
  readonly isEnd: boolean;
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(stream: number, isEnd: boolean, maxBytes: number) {
    this.stream = stream;
    this.isEnd = isEnd;
    this.#maxBytes = maxBytes;
  }

  /** Bytes so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds a part. @throws ConnectionError for too many parts or bytes */
  add(bytes: Buffer, from: number, to: number): void {
    this.#pieces.push(Buffer.from(bytes.subarray(from, to)));
    this.#bytes += to - from;
    if (this.#pieces.length > MAX_FRAMES || this.#bytes > this.#maxBytes) {
      throw new ConnectionError(ERROR.enhanceYourCalm, `expected headers of ${this.#maxBytes} bytes at most`);
    }
  }

  /** The complete block. */
  whole(): Buffer {
    return Buffer.concat(this.#pieces, this.#bytes);
  }
}
