import type { Value } from "../../value/value.ts";
import type { FieldSet, Filter } from "../fieldpath/index.ts";
import type { Type } from "../schema/schema.ts";

/** What one manager owns: paths, and the API version that they are written in. */
export interface Owned {
  readonly set: FieldSet;
  readonly apiVersion: string;
  /** Whether the manager applied them; else it created, replaced or patched the object. */
  readonly applied: boolean;
}

/** Who owns what. The keys are opaque here; the caller chooses them. */
export type Managers = ReadonlyMap<string, Owned>;

/**
 * How versions of a kind relate.
 *
 * A version that the kind no longer has is undefined in both; its managers are dropped.
 */
export interface Converter {
  /** The type of the kind in a version. */
  typeAt(apiVersion: string): Type | undefined;
  /** The value in another version. Not called with equal versions. */
  convert(value: Value, from: string, to: string): Value | undefined;
}

/** The converter of a kind that has one version only. */
export const singleVersion = (apiVersion: string, type: Type): Converter => ({
  typeAt: (version) => (version === apiVersion ? type : undefined),
  convert: () => undefined,
});

/** The filters of the fields that a write may own, by version; a version without one may own every field. */
export type Filters = ReadonlyMap<string, Filter>;

/** What another manager owns and the write changes. */
export interface Lost {
  /** The key of the owner in {@link Managers}. */
  readonly manager: string;
  readonly set: FieldSet;
}

/** An apply that was refused, because others own fields that it would change (OWN-2, APPLY-15). */
export interface Conflicts {
  readonly lost: readonly Lost[];
}
