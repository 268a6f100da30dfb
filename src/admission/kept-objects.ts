/**
 * Values that a step reads from all objects of a resource, kept until one of them changes, so that most requests need not wait.
 *
 * @module
 */
import type { ApiObject } from "../schema/definition.ts";
import type { Lookup } from "../schema/lookup.ts";

/** The kept values of a resource. */
export class KeptObjects<T> {
  readonly #resource: string;
  readonly #read: (object: ApiObject) => T | undefined;
  #kept: { readonly mark: number; readonly found: readonly T[] } | undefined;

  /** @param resource `plural.group`, of the cluster */
  constructor(resource: string, read: (object: ApiObject) => T | undefined) {
    this.#resource = resource;
    this.#read = read;
  }

  /** The values of the objects in a lookup; a promise where one of them has changed. */
  of(lookup: Lookup): readonly T[] | Promise<readonly T[]> {
    const followed = lookup.follow(this.#resource);
    const { mark } = followed;
    // Changes of objects that are planned together with the request are not known.
    const changed = followed.changedSince(mark);
    if (changed && this.#kept?.mark === mark) return this.#kept.found;
    return lookup.collect(this.#resource, this.#read).then((found) => {
      if (changed) this.#kept = { mark, found };
      return found;
    });
  }
}
