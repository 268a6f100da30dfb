import { assert } from "../util/assert.ts";

/** Finds what is registered for the prefix of a key, in a time that does not depend on how much is registered. */
export class Router<T> {
  readonly #byPrefix = new Map<string, T>();
  /** How many slashes the registered prefixes have. */
  #depths: readonly number[] = [];

  /** Registers a prefix that ends with a slash; none may begin with another. */
  add(prefix: string, target: T): void {
    assert(prefix.endsWith("/"), `a prefix ends with a slash, got ${JSON.stringify(prefix)}`);
    for (const other of this.#byPrefix.keys()) {
      const clash = other.startsWith(prefix) || prefix.startsWith(other);
      assert(!clash, `prefixes do not begin with one another, got ${prefix} beside ${other}`);
    }
    this.#byPrefix.set(prefix, target);
    this.#measure();
  }

  /** A router of the same prefixes with what `make` makes of each target, without those of which it makes nothing. */
  map<U>(make: (target: T) => U | undefined): Router<U> {
    const router = new Router<U>();
    for (const [prefix, target] of this.#byPrefix) {
      const made = make(target);
      if (made !== undefined) router.#byPrefix.set(prefix, made);
    }
    router.#measure();
    return router;
  }

  remove(prefix: string): void {
    this.#byPrefix.delete(prefix);
    this.#measure();
  }

  get(prefix: string): T | undefined {
    return this.#byPrefix.get(prefix);
  }

  values(): IterableIterator<T> {
    return this.#byPrefix.values();
  }

  get size(): number {
    return this.#byPrefix.size;
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

  #measure(): void {
    const depths = [...this.#byPrefix.keys()].map((prefix) => prefix.split("/").length - 1);
    this.#depths = [...new Set(depths)].toSorted((a, b) => a - b);
  }
}
