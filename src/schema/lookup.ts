import type { ApiObject } from "./definition.ts";

/** Reads objects from the cache, in the version in which they are stored, for those who decide about requests. */
export interface Lookup {
  /** The object, or undefined. `resource` is `plural.group` (or the plural of a core resource). */
  get(resource: string, namespace: string, name: string): ApiObject | undefined;
  /** All objects of a resource that is small by nature (storage classes). */
  all(resource: string): readonly ApiObject[];
}
