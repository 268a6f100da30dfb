/** Owners of objects, and indexes that informers share. */
import type { ApiObject, Key, Kind } from "../client/index.ts";
import { groupOf } from "../meta/versions.ts";

/** Whether two kinds are the same, in any version. */
export const isOf = (a: Kind, b: Kind): boolean => a.group === b.group && a.plural === b.plural;

/** Indexes objects by their namespace. */
export const namespaceOf = ({ metadata }: ApiObject): string | undefined => metadata.namespace;

/** Indexes objects by the uid of their controller. */
export const controllerUid = ({ metadata }: ApiObject): string | undefined =>
  metadata.ownerReferences?.find(({ controller }) => controller)?.uid;

/** Returns the key of the controller of an object, if it is of a kind. */
export function ownerKey({ metadata: { ownerReferences, namespace } }: ApiObject, kind: Kind): Key | undefined {
  const owner = ownerReferences?.find(({ controller }) => controller);
  if (!owner || owner.kind !== kind.kind || groupOf(owner.apiVersion) !== kind.group) return undefined;
  return kind.scope === "Namespaced" && namespace ? { namespace, name: owner.name } : { name: owner.name };
}
