import { assert } from "../util/assert.ts";

/** Finds the target of the prefix of a key, in a time that does not depend on the number of prefixes. */
export class Router<T> {
  readonly #byPrefix = new Map<string, T>();
  /** Proper prefixes of registered prefixes, with the number of those. */
  readonly #above = new Map<string, number>();
  /** The number of registered prefixes by their number of slashes. */
  readonly #ofDepth = new Map<number, number>();
  /** The keys of `#ofDepth`, sorted. */
  #depths: readonly number[] = [];

  /** Registers a prefix that ends with a slash; no prefix may begin with another one. */
  add(prefix: string, target: T): void {
    assert(prefix.endsWith("/"), `a prefix ends with a slash, got ${JSON.stringify(prefix)}`);
    const clash = this.#above.has(prefix) || this.#byPrefix.has(prefix) || this.find(prefix) !== undefined;
    assert(!clash, `prefixes do not begin with one another, got ${prefix} beside one that does`);
    this.#put(prefix, target);
  }

  /** A router of the same prefixes with the results of `make`, without those that are undefined. */
  map<U>(make: (target: T) => U | undefined): Router<U> {
    const router = new Router<U>();
    for (const [prefix, target] of this.#byPrefix) {
      const made = make(target);
      if (made !== undefined) router.#byPrefix.set(prefix, made);
    }
    for (const [above, count] of this.#above) router.#above.set(above, count);
    for (const [depth, count] of this.#ofDepth) router.#ofDepth.set(depth, count);
    router.#depths = this.#depths;
    if (router.#byPrefix.size === this.#byPrefix.size) return router;
    for (const prefix of this.#byPrefix.keys()) if (!router.#byPrefix.has(prefix)) router.#count(prefix, -1);
    return router;
  }

  remove(prefix: string): void {
    if (this.#byPrefix.delete(prefix)) this.#count(prefix, -1);
  }

  get(prefix: string): T | undefined {
    return this.#byPrefix.get(prefix);
  }

  values(): IterableIterator<T> {
    return this.#byPrefix.values();
  }

  /** The target of the prefix with which the key begins. */
  find(key: string): T | undefined {
    let slashes = 0;
    let end = 0;
    for (const depth of this.#depths) {
      for (; slashes < depth; slashes++) {
        end = key.indexOf("/", end) + 1;
        if (end === 0) return undefined;
      }
      const target = this.#byPrefix.get(key.slice(0, end));
      if (target !== undefined) return target;
    }
    return undefined;
  }

  #put(prefix: string, target: T): void {
    this.#byPrefix.set(prefix, target);
    this.#count(prefix, 1);
  }

  /** Counts the proper prefixes of an added or removed prefix. */
  #count(prefix: string, by: 1 | -1): void {
    let depth = 0;
    for (let end = prefix.indexOf("/") + 1; end > 0; end = prefix.indexOf("/", end) + 1) {
      depth++;
      if (end < prefix.length) addTo(this.#above, prefix.slice(0, end), by);
    }
    if (addTo(this.#ofDepth, depth, by)) this.#depths = [...this.#ofDepth.keys()].toSorted((a, b) => a - b);
  }
}

/** Changes a count, which is stored while it is not 0; returns whether it was added or removed. */
function addTo<K>(counts: Map<K, number>, key: K, by: 1 | -1): boolean {
  const before = counts.get(key) ?? 0;
  if (before + by === 0) counts.delete(key);
  else counts.set(key, before + by);
  return before === 0 || before + by === 0;
}
