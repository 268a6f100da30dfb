/** The objects of an informer, with their indexes. */
import { type ApiObject, type Key, keyText, keyOf } from "../client/index.ts";
import type { Index, Informer } from "./informer.ts";
import { namespaceOf } from "./owners.ts";

type Bucket = Map<string, ApiObject>;

/** Objects by key and by index. An object for which an index throws is not in that index. */
export class Memory {
  readonly #failed: (error: unknown) => void;
  readonly #objects = new Map<string, ApiObject>();
  readonly #indexes = new Map<Index<ApiObject>, Map<string, Bucket>>();
  readonly #named = new Map<Index<ApiObject>, number>();

  /** @param failed called for errors of indexes */
  constructor(failed: (error: unknown) => void) {
    this.#failed = failed;
  }

  get(key: Key): ApiObject | undefined {
    return this.#objects.get(keyText(key));
  }

  values(): IterableIterator<ApiObject> {
    return this.#objects.values();
  }

  list({ namespace, labels }: Parameters<Informer["list"]>[0] = {}): readonly ApiObject[] {
    const wanted = Object.entries(labels ?? {});
    const all = namespace === undefined ? [...this.#objects.values()] : this.by(namespaceOf, namespace);
    return all.filter(({ metadata }) => wanted.every(([key, value]) => metadata.labels?.[key] === value));
  }

  /** Returns the objects with a value in an index, which is built at its first use. */
  by(index: Index<ApiObject>, value: string): readonly ApiObject[] {
    return [...(this.#indexOf(index).get(value)?.values() ?? [])];
  }

  /** Keeps indexes until the result is disposed of. */
  name(indexes: readonly Index<ApiObject>[]): Disposable {
    const count = (index: Index<ApiObject>, by: number): number => (this.#named.get(index) ?? 0) + by;
    for (const index of indexes) this.#named.set(index, count(index, 1));
    const forget = (index: Index<ApiObject>): void => {
      const left = count(index, -1);
      if (left > 0) this.#named.set(index, left);
      else {
        this.#named.delete(index);
        this.#indexes.delete(index);
      }
    };
    return { [Symbol.dispose]: () => indexes.forEach(forget) };
  }

  put(object: ApiObject): void {
    const key = keyText(keyOf(object));
    const old = this.#objects.get(key);
    this.#objects.set(key, object);
    for (const [index, buckets] of this.#indexes) {
      if (old) this.#take(buckets, index, key, old);
      this.#file(buckets, index, key, object);
    }
  }

  delete(object: ApiObject): void {
    const key = keyText(keyOf(object));
    this.#objects.delete(key);
    for (const [index, buckets] of this.#indexes) this.#take(buckets, index, key, object);
  }

  #indexOf(index: Index<ApiObject>): Map<string, Bucket> {
    let buckets = this.#indexes.get(index);
    if (!buckets) {
      this.#indexes.set(index, (buckets = new Map()));
      for (const [key, object] of this.#objects) this.#file(buckets, index, key, object);
    }
    return buckets;
  }

  #file(buckets: Map<string, Bucket>, index: Index<ApiObject>, key: string, object: ApiObject): void {
    for (const value of this.#valuesOf(index, object)) {
      const bucket = buckets.get(value);
      if (bucket) bucket.set(key, object);
      else buckets.set(value, new Map([[key, object]]));
    }
  }

  #take(buckets: Map<string, Bucket>, index: Index<ApiObject>, key: string, object: ApiObject): void {
    for (const value of this.#valuesOf(index, object)) {
      const bucket = buckets.get(value);
      bucket?.delete(key);
      if (bucket?.size === 0) buckets.delete(value);
    }
  }

  #valuesOf(index: Index<ApiObject>, object: ApiObject): readonly string[] {
    try {
      const found = index(object) ?? [];
      return typeof found === "string" ? [found] : found;
    } catch (error) {
      this.#failed(error);
      return [];
    }
  }
}
