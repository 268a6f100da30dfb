import type { ApiObject } from "./definition.ts";

/** Reads objects from the cache, in the version in which they are stored, for those who decide about requests. */
export interface Lookup {
  /** The object, or undefined. `resource` is `plural.group` (or the plural of a core resource). */
  get(resource: string, namespace: string, name: string): ApiObject | undefined;
  /**
   * What `read` makes of the objects of a resource, of one namespace or of all, found in turns, without those of which it
   * makes nothing. It is asked once for each state of an object, as long as it is the same function, and must not change
   * what it is shown.
   */
  collect<T>(resource: string, read: (object: ApiObject) => T | undefined, namespace?: string): Promise<readonly T[]>;
}
