/** Buffers of one size that are used again: large ones would else be allocated as fast as they are sent, and V8 collect garbage all the time. */
export class BufferPool {
  readonly size: number;
  readonly #most: number;
  readonly #kept: Buffer[] = [];

  /**
   * @param size bytes of each buffer
   * @param most buffers that are kept
   */
  constructor(size: number, most: number) {
    this.size = size;
    this.#most = most;
  }

  take(): Buffer {
    return this.#kept.pop() ?? Buffer.allocUnsafeSlow(this.size);
  }

  /** Gives a buffer back; one of another size is left to the collector. */
  give(buffer: Buffer): void {
    if (buffer.length === this.size && this.#kept.length < this.#most) this.#kept.push(buffer);
  }
}
