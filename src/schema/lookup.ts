import type { ApiObject } from "./definition.ts";

/** Reads objects from the cache in their stored version, for admission and rules. */
export interface Lookup {
  /** The object, or undefined. `resource` is `plural.group` (or the plural of a core resource). */
  get(resource: string, namespace: string, name: string): ApiObject | undefined;
  /**
   * The results of `read` for the objects of a resource, of one namespace or of all, without undefined ones; computed in
   * slices. `read` must be the same function each time: it is called once for each state of an object, which it must not
   * change.
   */
  collect<T>(resource: string, read: (object: ApiObject) => T | undefined, namespace?: string): Promise<readonly T[]>;
  /** The names of the first objects of a resource, at most 1000, in order. */
  first(resource: string, limit: number): readonly ObjectName[];
  /** Reports changes of a resource, for caches that check them before each use. */
  follow(resource: string): Followed;
}

/** The changes of a resource. It keeps no state for its callers: they pass the mark that they have reached. */
export interface Followed {
  /** A number that grows with each change. */
  readonly mark: number;
  /**
   * The objects that were created, changed or deleted since a mark, in that order, perhaps with duplicates. Undefined where
   * that is no longer known: then all may have changed.
   */
  changedSince(mark: number): readonly ObjectName[] | undefined;
}

/** The name of an object of a resource. */
export interface ObjectName {
  /** Empty for resources of the cluster. */
  readonly namespace: string;
  readonly name: string;
}
