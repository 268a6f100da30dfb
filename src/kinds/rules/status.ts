/**
 * Keeps members of the status in writes of the object, and the other way round (KIND-All-2).
 *
 * @module
 */
import type { ApiObject, SubresourceRules } from "../../schema/definition.ts";

/** Copies the status from the stored object. Changes `object`. */
export function keepStatus(object: ApiObject, old: ApiObject): void {
  object["status"] = old["status"];
}

/** Copies the spec from the stored object. Changes `object`. */
export function keepSpec(object: ApiObject, old: ApiObject): void {
  object["spec"] = old["spec"];
}

/** The status path of a kind: a write keeps the spec and does not own it. */
export const statusPath = <T extends ApiObject>(rules: Partial<SubresourceRules<T>> = {}): SubresourceRules<T> => ({
  verbs: ["get", "patch", "update"],
  resetFields: ["spec"],
  prepareForUpdate: keepSpec,
  ...rules,
});

/** The members of `metadata` that a write of the status never changes; managedFields follow the write. */
const KEPT = ["labels", "annotations", "finalizers", "ownerReferences", "deletionTimestamp", "generation"] as const;

/** Copies the members of the metadata that clients may write from the stored object. Changes `object`. */
export function keepMetadata(object: ApiObject, old: ApiObject): void {
  for (const member of KEPT) {
    const value = old.metadata[member];
    if (value === undefined) delete object.metadata[member];
    else (object.metadata as Record<string, unknown>)[member] = value;
  }
}

/**
 * Copies everything but the status from the stored object: the rule of status paths that write no metadata (DEC-33).
 *
 * `object` is changed; the copied members are shared with `old` and must not be changed afterwards.
 */
export function keepAllButStatus(object: ApiObject, old: ApiObject): void {
  keepSpec(object, old);
  keepMetadata(object, old);
}
