/** Parses frames for a test (RFC 9113 4.1). */
export interface CutFrame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

/** Cuts bytes, which arrive in any pieces, into frames. */
export class FrameCutter {
  #bytes: Buffer = Buffer.alloc(0);
  /** The text before all frames. */
  #skip: Buffer;

  /** @param before the text before all frames */
  constructor(before: Buffer = Buffer.alloc(0)) {
    this.#skip = before;
  }

  /** Whether the bytes begin with that text; otherwise the rest is ignored. */
  add(piece: Uint8Array): boolean {
    this.#bytes = this.#bytes.length === 0 ? Buffer.from(piece) : Buffer.concat([this.#bytes, piece]);
    const length = Math.min(this.#skip.length, this.#bytes.length);
    if (!this.#bytes.subarray(0, length).equals(this.#skip.subarray(0, length))) return false;
    this.#skip = this.#skip.subarray(length);
    this.#bytes = this.#bytes.subarray(length);
    return true;
  }

  /** The length in the next frame; undefined without its complete header. */
  get announced(): number | undefined {
    return this.#bytes.length < 9 ? undefined : this.#bytes.readUIntBE(0, 3);
  }

  /** Returns the next frame; undefined where it is not complete. */
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

  /** The bytes of an incomplete frame. */
  get rest(): number {
    return this.#bytes.length + this.#skip.length;
  }
}
