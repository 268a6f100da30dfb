/**
 * What a step reads of all objects of a resource, kept until one of them changes: so that most requests need not wait for it.
 *
 * @module
 */
import type { ApiObject } from "../schema/definition.ts";
import type { Lookup } from "../schema/lookup.ts";

/** See the head of this file. */
export class KeptObjects<T> {
  readonly #resource: string;
  readonly #read: (object: ApiObject) => T | undefined;
  #kept: { readonly mark: number; readonly found: readonly T[] } | undefined;

  /** @param resource `plural.group`, of the cluster */
  constructor(resource: string, read: (object: ApiObject) => T | undefined) {
    this.#resource = resource;
    this.#read = read;
  }

  /** What was read of the objects, as a lookup shows them; a promise where one of them has changed since. */
  of(lookup: Lookup): readonly T[] | Promise<readonly T[]> {
    const followed = lookup.follow(this.#resource);
    const { mark } = followed;
    // Of objects that are about to be stored with the request, no change is known.
    const changed = followed.changedSince(mark);
    if (changed && this.#kept?.mark === mark) return this.#kept.found;
    return lookup.collect(this.#resource, this.#read).then((found) => {
      if (changed) this.#kept = { mark, found };
      return found;
    });
  }
}
