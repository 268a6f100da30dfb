/** What `node:async_hooks` is in a browser, where nobody counts activity: a storage that stores nothing. */
export class AsyncLocalStorage {
  run<T>(_store: unknown, work: () => T): T {
    return work();
  }

  getStore(): undefined {
    return undefined;
  }
}
