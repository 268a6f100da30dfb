/**
 * How writes of an object and of its status keep each other's members (KIND-All-2).
 *
 * @module
 */
import type { ApiObject, SubresourceRules } from "../../schema/definition.ts";

/** Takes the status from the stored object. Changes `object`. */
export function keepStatus(object: ApiObject, old: ApiObject): void {
  object["status"] = old["status"];
}

/** Takes the spec from the stored object. Changes `object`. */
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

/** Takes from the stored object what clients may write of the metadata. Changes `object`. */
export function keepMetadata(object: ApiObject, old: ApiObject): void {
  for (const member of KEPT) {
    const value = old.metadata[member];
    if (value === undefined) delete object.metadata[member];
    else (object.metadata as Record<string, unknown>)[member] = value;
  }
}

/**
 * Takes everything but the status from the stored object: the rule of status paths that write no metadata (DEC-33).
 *
 * `object` is changed; what it takes over is shared with `old` and must not be written to afterwards.
 */
export function keepAllButStatus(object: ApiObject, old: ApiObject): void {
  keepSpec(object, old);
  keepMetadata(object, old);
}
