/**
 * Values that are made when they are first needed, and kept: the only state of a module, since it depends on nothing that changes.
 *
 * @module
 */

/** A function that calls `make` when it is first called, and returns the same each time. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** A pure function that keeps its last result, for an argument that is often the same as before. */
export function keepLast<K, V>(make: (key: K) => V): (key: K) => V {
  let last: { readonly key: K; readonly value: V } | undefined;
  return (key) => {
    if (last === undefined || last.key !== key) last = { key, value: make(key) };
    return last.value;
  };
}
