/**
 * The objects that an informer has seen, and where they are found.
 *
 * @module
 */
import { type ApiObject, type Key, keyText, keyOf } from "../client/index.ts";
import type { Index, Informer } from "./informer.ts";

type Bucket = Map<string, ApiObject>;

/** Objects by key, and by the values of any number of indexes. */
export class Memory {
  readonly #objects = new Map<string, ApiObject>();
  readonly #indexes = new Map<Index<ApiObject>, Map<string, Bucket>>();

  get(key: Key): ApiObject | undefined {
    return this.#objects.get(keyText(key));
  }

  values(): IterableIterator<ApiObject> {
    return this.#objects.values();
  }

  list({ namespace, labels }: Parameters<Informer["list"]>[0] = {}): readonly ApiObject[] {
    const wanted = Object.entries(labels ?? {});
    return [...this.#objects.values()].filter(
      ({ metadata }) =>
        (namespace === undefined || metadata.namespace === namespace) &&
        wanted.every(([key, value]) => metadata.labels?.[key] === value),
    );
  }

  /** Objects that an index has under a value; the index is made when it is first asked for. */
  by(index: Index<ApiObject>, value: string): readonly ApiObject[] {
    return [...(this.#indexOf(index).get(value)?.values() ?? [])];
  }

  put(object: ApiObject): void {
    const key = keyText(keyOf(object));
    const old = this.#objects.get(key);
    this.#objects.set(key, object);
    for (const [index, buckets] of this.#indexes) {
      if (old) take(buckets, index, key, old);
      file(buckets, index, key, object);
    }
  }

  delete(object: ApiObject): void {
    const key = keyText(keyOf(object));
    this.#objects.delete(key);
    for (const [index, buckets] of this.#indexes) take(buckets, index, key, object);
  }

  #indexOf(index: Index<ApiObject>): Map<string, Bucket> {
    let buckets = this.#indexes.get(index);
    if (!buckets) {
      this.#indexes.set(index, (buckets = new Map()));
      for (const [key, object] of this.#objects) file(buckets, index, key, object);
    }
    return buckets;
  }
}

function valuesOf(index: Index<ApiObject>, object: ApiObject): readonly string[] {
  const found = index(object) ?? [];
  return typeof found === "string" ? [found] : found;
}

function file(buckets: Map<string, Bucket>, index: Index<ApiObject>, key: string, object: ApiObject): void {
  for (const value of valuesOf(index, object)) {
    const bucket = buckets.get(value);
    if (bucket) bucket.set(key, object);
    else buckets.set(value, new Map([[key, object]]));
  }
}

function take(buckets: Map<string, Bucket>, index: Index<ApiObject>, key: string, object: ApiObject): void {
  for (const value of valuesOf(index, object)) {
    const bucket = buckets.get(value);
    bucket?.delete(key);
    if (bucket?.size === 0) buckets.delete(value);
  }
}
