/**
 * Runs work on many files, with a bounded number at once.
 *
 * @module
 */

/** See the head of this file. */
export class BoundedWork {
  readonly #max: number;
  readonly #running = new Set<Promise<void>>();
  #failed: { readonly error: unknown } | undefined;

  constructor(max: number) {
    this.#max = max;
  }

  /** Begins work as soon as fewer than the maximum run. Throws the first error of earlier work. */
  async begin(work: () => Promise<void>): Promise<void> {
    if (this.#running.size >= this.#max) await Promise.race(this.#running);
    this.#throwFirst();
    const running: Promise<void> = work()
      .catch((error: unknown) => {
        this.#failed ??= { error };
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Waits for all work, and throws the first error. */
  async end(): Promise<void> {
    await Promise.all(this.#running);
    this.#throwFirst();
  }

  #throwFirst(): void {
    if (this.#failed) throw this.#failed.error;
  }
}
