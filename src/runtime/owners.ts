/**
 * Kinds, owners and keys, as controllers compare them.
 *
 * @module
 */
import type { ApiObject, Key, Kind } from "../client/index.ts";

/** Whether two kinds are the same, in whatever version. */
export const isOf = (a: Kind, b: Kind): boolean => a.group === b.group && a.plural === b.plural;

/** An index: objects by the uid of the owner that controls them. */
export const controllerUid = ({ metadata }: ApiObject): string | undefined =>
  metadata.ownerReferences?.find(({ controller }) => controller)?.uid;

/** The key of the owner that controls an object, where it is of a kind; undefined for all others. */
export function ownerKey({ metadata: { ownerReferences, namespace } }: ApiObject, kind: Kind): Key | undefined {
  const owner = ownerReferences?.find(({ controller }) => controller);
  if (!owner || owner.kind !== kind.kind || groupOf(owner.apiVersion) !== kind.group) return undefined;
  return kind.scope === "Namespaced" && namespace ? { namespace, name: owner.name } : { name: owner.name };
}

const groupOf = (apiVersion: string): string => (apiVersion.includes("/") ? apiVersion.split("/")[0]! : "");
