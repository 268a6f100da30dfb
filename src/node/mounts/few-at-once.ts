/**
 * Work on many files, a few of them at the same time.
 *
 * @module
 */

/** See the head of this file. */
export class FewAtOnce {
  readonly #most: number;
  readonly #running = new Set<Promise<void>>();
  #failed: { readonly error: unknown } | undefined;

  constructor(most: number) {
    this.#most = most;
  }

  /** Begins work, once there is room for it. Throws the first error of any that was begun before. */
  async begin(work: () => Promise<void>): Promise<void> {
    if (this.#running.size >= this.#most) await Promise.race(this.#running);
    this.#throwFirst();
    const running: Promise<void> = work()
      .catch((error: unknown) => {
        this.#failed ??= { error };
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Waits for all that was begun, and throws the first error. */
  async end(): Promise<void> {
    await Promise.all(this.#running);
    this.#throwFirst();
  }

  #throwFirst(): void {
    if (this.#failed) throw this.#failed.error;
  }
}
