/**
 * Admission: the ordered chain of steps that may change or refuse a write after it was decoded and before it is stored.
 *
 * A step sees the object in the version of the request. It gets at other objects only through a {@link Lookup}, and it
 * never writes, except for the one act that is handed to it (see `namespaces.ts`).
 *
 * @module
 */
import type { ApiObject } from "../schema/definition.ts";
import type { ObjectRef } from "../meta/status.ts";

/** Reads objects from the cache, in their stored version. */
export interface Lookup {
  /** The object, or undefined. `resource` is `plural.group` (or the plural of a core resource). */
  get(resource: string, namespace: string, name: string): ApiObject | undefined;
  /** All objects of a resource that is small by nature (storage classes). */
  all(resource: string): readonly ApiObject[];
}

/** One write on its way to the store. */
export interface AdmissionRequest {
  readonly operation: "CREATE" | "UPDATE" | "DELETE";
  readonly ref: ObjectRef;
  readonly namespaced: boolean;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  /** The new object; undefined for a delete. `mutate` steps may change it. */
  readonly object: ApiObject | undefined;
  /** The stored object; undefined for a create. */
  readonly old: ApiObject | undefined;
  readonly dryRun: boolean;
  readonly user: string;
  /** Texts for `Warning` headers; add to it. */
  readonly warnings: string[];
}

/** One step of the chain. A step refuses by throwing an `ApiError`. */
export interface AdmissionStep {
  readonly name: string;
  mutate?(request: AdmissionRequest): void;
  validate?(request: AdmissionRequest): void;
  /** Runs when everything else agreed, right before the store is written; not in a dry run. */
  commit?(request: AdmissionRequest): Promise<void> | undefined;
}

/** The chain, in order. */
export type Admission = readonly AdmissionStep[];
