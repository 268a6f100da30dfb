/** Reuses buffers of one size, because large ones that are allocated for each response make much garbage. */
export class BufferPool {
  readonly size: number;
  readonly #maxFree: number;
  readonly #free: Buffer[] = [];

  /**
   * @param size bytes of each buffer
   * @param maxFree how many unused buffers are kept
   */
  constructor(size: number, maxFree: number) {
    this.size = size;
    this.#maxFree = maxFree;
  }

  take(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(this.size);
  }

  /** Returns a buffer to the pool; one of another size is left to the garbage collector. */
  give(buffer: Buffer): void {
    if (buffer.length === this.size && this.#free.length < this.#maxFree) this.#free.push(buffer);
  }
}
