/** A number of bytes that many holders reserve from, up to a limit. */
export class SharedMemory {
  #left: number;

  /** @param bytes the limit */
  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** Reserves bytes; false where not enough are free. */
  take(bytes: number): boolean {
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }

  /** Releases bytes. */
  give(bytes: number): void {
    this.#left += bytes;
  }
}
