/**
 * Concurrent work, up to a limit.
 *
 * @module
 */

/** As many calls as one webhook gets concurrently. */
const MAX_RUNNING = 32;

/** See the head of this file. */
export class InFlight {
  readonly #running = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | undefined = undefined;

  /** Adds work; returns a promise where the caller has to wait, since the limit is reached. It rejects with the first failure. */
  add(work: void | Promise<void>): Promise<void> | undefined {
    if (!work) return undefined;
    const kept = work
      .catch((error: unknown) => void (this.#failure ??= { error }))
      .finally(() => this.#running.delete(kept));
    this.#running.add(kept);
    return this.#running.size < MAX_RUNNING ? undefined : Promise.race(this.#running).then(() => this.#check());
  }

  /** Resolves when all work has ended; rejects with the first failure. */
  async end(): Promise<void> {
    await Promise.all(this.#running);
    this.#check();
  }

  #check(): void {
    if (this.#failure) throw this.#failure.error;
  }
}
