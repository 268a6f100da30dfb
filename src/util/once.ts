/**
 * Lazy values: the only state of a module, since they depend on nothing that changes.
 *
 * @module
 */

/** Returns a function that calls `make` once, when it is first called, and always returns that value. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** Returns a pure function that keeps its last result, for an argument that is often equal to the previous one. */
export function memoizeLast<K, V>(make: (key: K) => V): (key: K) => V {
  let last: { readonly key: K; readonly value: V } | undefined;
  return (key) => {
    if (last === undefined || last.key !== key) last = { key, value: make(key) };
    return last.value;
  };
}
