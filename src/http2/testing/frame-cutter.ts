/** Frames as a test takes them from bytes (RFC 9113 4.1). */
export interface CutFrame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

/** Cuts bytes into frames, however they come. */
export class FrameCutter {
  #bytes: Buffer = Buffer.alloc(0);
  /** Bytes of text that have to come before all frames. */
  #skip: Buffer;

  /** @param before what has to come before all frames */
  constructor(before: Buffer = Buffer.alloc(0)) {
    this.#skip = before;
  }

  /** Whether what has come begins as it has to; the rest of it is not looked at where it does not. */
  add(piece: Uint8Array): boolean {
    this.#bytes = this.#bytes.length === 0 ? Buffer.from(piece) : Buffer.concat([this.#bytes, piece]);
    const length = Math.min(this.#skip.length, this.#bytes.length);
    if (!this.#bytes.subarray(0, length).equals(this.#skip.subarray(0, length))) return false;
    this.#skip = this.#skip.subarray(length);
    this.#bytes = this.#bytes.subarray(length);
    return true;
  }

  /** The length that the next frame says; undefined where its head is not there. */
  get announced(): number | undefined {
    return this.#bytes.length < 9 ? undefined : this.#bytes.readUIntBE(0, 3);
  }

  /** The next frame; undefined where it is not there as a whole. */
  next(): CutFrame | undefined {
    const length = this.announced;
    if (length === undefined || this.#bytes.length < 9 + length) return undefined;
    const frame = {
      type: this.#bytes[3]!,
      flags: this.#bytes[4]!,
      stream: this.#bytes.readUInt32BE(5) & 0x7fffffff,
      payload: this.#bytes.subarray(9, 9 + length),
    };
    this.#bytes = this.#bytes.subarray(9 + length);
    return frame;
  }

  /** Bytes that are no whole frame. */
  get rest(): number {
    return this.#bytes.length + this.#skip.length;
  }
}
