/**
 * `AsyncLocalStorage` for code that reads its value before it returns. What the cluster keeps over an `await` is used only where a
 * test waits for a cluster to be idle, which a page does not.
 *
 * @module
 */

/** A value for the code that runs inside of {@link AsyncLocalStorage.run}, until it returns. */
export class AsyncLocalStorage<T> {
  #value: T | undefined;

  static bind<F>(work: F): F {
    return work;
  }

  getStore(): T | undefined {
    return this.#value;
  }

  run<R>(value: T, work: () => R): R {
    const before = this.#value;
    this.#value = value;
    try {
      return work();
    } finally {
      this.#value = before;
    }
  }
}
