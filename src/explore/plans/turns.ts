/**
 * Combines iterators of plans alternately.
 *
 * @module
 */

/** Returns items until a condition is true; the rest stays in the iterator. */
export function* whileNot<T>(isOver: () => boolean, items: Iterator<T>): Generator<T> {
  while (!isOver()) {
    const { done, value } = items.next();
    if (done) return;
    yield value;
  }
}

/** Returns one item of each alternately, until both have ended. */
export function* alternate<T>(...sources: readonly Iterator<T>[]): Generator<T> {
  for (let open = sources; open.length > 0;) {
    const ended = new Set<Iterator<T>>();
    for (const source of open) {
      const { done, value } = source.next();
      if (done) ended.add(source);
      else yield value;
    }
    open = open.filter((source) => !ended.has(source));
  }
}
