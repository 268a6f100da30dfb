/** Events of informers, and predicates. */
import type { ApiObject } from "../client/index.ts";

/** A change of an object. Objects are shared: read only. */
export type ObjectEvent<T> =
  | { readonly type: "added" | "deleted"; readonly object: T }
  | { readonly type: "changed"; readonly object: T; readonly old: T };

/** Returns whether an event triggers a reconcile. */
export type Predicate<T> = {
  // A method is bivariant: a predicate of any object is one of Pods, too.
  test(event: ObjectEvent<T>): boolean;
}["test"];

/** Accepts what one of the predicates accepts. */
export const anyOf =
  <T>(...predicates: readonly Predicate<T>[]): Predicate<T> =>
  (event) =>
    predicates.some((holds) => holds(event));

/** Whether an event is the beginning of a deletion. */
export const deletionBegan = (event: ObjectEvent<ApiObject>): boolean =>
  event.object.metadata.deletionTimestamp !== undefined &&
  (event.type !== "changed" || event.old.metadata.deletionTimestamp === undefined);

/** Accepts additions, deletions, the beginning of a deletion, and changes of one part. */
const changeOf =
  (part: (object: ApiObject) => unknown): Predicate<ApiObject> =>
  (event) =>
    event.type !== "changed" ||
    deletionBegan(event) ||
    JSON.stringify(part(event.object)) !== JSON.stringify(part(event.old));

/** Predicates for changes of one part; each accepts additions and deletions, and the beginning of a deletion. */
export const changed: Readonly<Record<"generation" | "labels" | "annotations" | "status", Predicate<ApiObject>>> = {
  generation: changeOf(({ metadata }) => metadata.generation),
  labels: changeOf(({ metadata }) => metadata.labels),
  annotations: changeOf(({ metadata }) => metadata.annotations),
  status: changeOf((object) => (object as { readonly status?: unknown }).status),
};
