/**
 * Runs work one after another for each key, and side by side for different keys.
 *
 * Writers of one object take turns instead of racing for its version and losing; writers of different objects never
 * wait for each other.
 */
export class KeyedLock {
  readonly #tails = new Map<string, Promise<unknown>>();

  /** Runs `work` when all earlier work for `key` has ended, however it ended. */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key);
    const result = before === undefined ? work() : before.then(work, work);
    this.#tails.set(key, result);
    const release = (): void => {
      if (this.#tails.get(key) === result) this.#tails.delete(key);
    };
    result.then(release, release);
    return result;
  }

  /** How many keys have work under way. */
  get size(): number {
    return this.#tails.size;
  }
}
