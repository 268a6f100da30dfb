/**
 * What an informer tells, and which of it counts.
 *
 * @module
 */
import type { ApiObject } from "../client/index.ts";

/** A change as a controller hears of it. Objects are shared: read only. */
export type ObjectEvent<T> =
  | { readonly type: "added" | "deleted"; readonly object: T }
  | { readonly type: "changed"; readonly object: T; readonly old: T };

/** Decides whether an event starts a reconcile. */
export type Predicate<T> = {
  // A method: a predicate of any object is one of pods, too.
  test(event: ObjectEvent<T>): boolean;
}["test"];

/** Lets pass what one of the predicates lets pass. */
export const anyOf =
  <T>(...predicates: readonly Predicate<T>[]): Predicate<T> =>
  (event) =>
    predicates.some((holds) => holds(event));

/** Whether an event tells that a deletion has begun. */
export const deletionBegan = (event: ObjectEvent<ApiObject>): boolean =>
  event.object.metadata.deletionTimestamp !== undefined &&
  (event.type !== "changed" || event.old.metadata.deletionTimestamp === undefined);

/** Lets pass what was added or deleted, the beginning of a deletion, and changes of one part. */
const changeOf =
  (part: (object: ApiObject) => unknown): Predicate<ApiObject> =>
  (event) =>
    event.type !== "changed" ||
    deletionBegan(event) ||
    JSON.stringify(part(event.object)) !== JSON.stringify(part(event.old));

/** Predicates for changes of one part of an object; each lets added, deleted and "deletion has begun" pass. */
export const changed: Readonly<Record<"generation" | "labels" | "annotations" | "status", Predicate<ApiObject>>> = {
  generation: changeOf(({ metadata }) => metadata.generation),
  labels: changeOf(({ metadata }) => metadata.labels),
  annotations: changeOf(({ metadata }) => metadata.annotations),
  status: changeOf((object) => (object as { readonly status?: unknown }).status),
};
