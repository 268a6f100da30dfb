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
  /** The first objects of a resource by name, at most 1000; none of them is read. */
  first(resource: string, limit: number): readonly ObjectName[];
  /** Tells what changes of a resource, to who keeps something that is made of its objects and asks before each use. */
  follow(resource: string): Followed;
}

/** A resource that somebody follows. Nothing is kept for them: they say how far they have come. */
export interface Followed {
  /** A number that is another one after each change; it never becomes smaller. */
  readonly mark: number;
  /**
   * The objects that have changed, come or gone since a mark, in that order, some perhaps several times. Undefined where that
   * is no longer known: then all of them may have.
   */
  changedSince(mark: number): readonly ObjectName[] | undefined;
}

/** Which object of a resource. */
export interface ObjectName {
  /** Empty for resources of the cluster. */
  readonly namespace: string;
  readonly name: string;
}
