/**
 * Work that may have to wait, and mostly does not.
 *
 * Small work runs straight through: an `await` would let all other requests of the tick go first, even where nothing waits.
 *
 * @module
 */

/** Goes on at once where there is nothing to wait for, and when it is done where there is. */
export const whenDone = <T>(pending: Promise<unknown> | undefined | void, next: () => T | Promise<T>): T | Promise<T> =>
  pending ? pending.then(next) : next();

/** Does some work with each item, one after the other; a promise only where one of them waits. */
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
