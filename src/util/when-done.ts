/**
 * Work that is rarely asynchronous.
 *
 * Small work runs without an `await`, which would let all other requests of the tick run first even where nothing is pending.
 *
 * @module
 */

/** Continues at once where nothing is pending, else when it is done. */
export const whenDone = <T>(pending: Promise<unknown> | undefined | void, next: () => T | Promise<T>): T | Promise<T> =>
  pending ? pending.then(next) : next();

/** Continues with a value: at once where it is there, else when its promise is done. */
export const whenKnown = <T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> =>
  value instanceof Promise ? value.then(next) : next(value);

/** Runs work for each item, one after the other; returns a promise only where one of them is asynchronous. */
export function inOrder<Item>(
  items: readonly Item[],
  work: (item: Item) => void | Promise<void>,
  from = 0,
): Promise<void> | undefined {
  for (let i = from; i < items.length; i++) {
    const pending = work(items[i]!);
    if (pending) return pending.then(() => inOrder(items, work, i + 1));
  }
  return undefined;
}
