import type { ApiObject } from "./definition.ts";

/** Reads objects from the cache, in the version in which they are stored, for those who decide about requests. */
export interface Lookup {
  /** The object, or undefined. `resource` is `plural.group` (or the plural of a core resource). */
  get(resource: string, namespace: string, name: string): ApiObject | undefined;
  /**
   * The objects of a resource for which `test` holds, found in turns. It is asked once for each state of an object, as
   * long as it is the same function, and must not change what it is shown.
   */
  matching(resource: string, test: (object: ApiObject) => boolean): Promise<readonly ApiObject[]>;
}
