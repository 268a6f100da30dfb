/** Bytes that many may take together, and no more. */
export class SharedMemory {
  #left: number;

  /** @param bytes those that there are */
  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** Takes so many bytes; false where there are not so many. */
  take(bytes: number): boolean {
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }

  /** Gives bytes back. */
  give(bytes: number): void {
    this.#left += bytes;
  }
}
