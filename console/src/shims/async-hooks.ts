/** What `node:async_hooks` is in a browser, where activity is not counted: a storage that stores nothing. */
export class AsyncLocalStorage {
  run<T>(_store: unknown, work: () => T): T {
    return work();
  }

  getStore(): undefined {
    return undefined;
  }
}
