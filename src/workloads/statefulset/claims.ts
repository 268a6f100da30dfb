/**
 * The claims of the Pods of a StatefulSet: which are created, and their owners (WL-STS-10, WL-STS-11).
 *
 * The templates of claims are immutable, as in Kubernetes 1.35. So claims are expanded by an update of each of them.
 */
import type { NewObject } from "../../client/kind.ts";
import type { PersistentVolumeClaim, Pod, StatefulSet } from "../../client/kinds/index.ts";
import type { ObjectMetaOwnerReference } from "../../client/kinds/types.ts";
import { referenceTo } from "../common/ownership.ts";
import { claimName, isWanted, podName } from "./names.ts";

/** Returns a claim of the namespace. */
export type ClaimNamed = (name: string) => PersistentVolumeClaim | undefined;

/** Creates the claims of a Pod, with the labels of the selector. */
export const newClaims = (set: StatefulSet, ordinal: number): readonly NewObject<PersistentVolumeClaim>[] =>
  (set.spec.volumeClaimTemplates ?? []).map(({ metadata: { name, labels, annotations }, spec }) => {
    const metadata = {
      name: claimName(set, name, ordinal),
      namespace: set.metadata.namespace,
      labels: { ...labels, ...set.spec.selector?.matchLabels },
      ...(annotations ? { annotations } : {}),
    };
    return { metadata, spec } as NewObject<PersistentVolumeClaim>;
  });

/** The stored claims of a Pod. */
export const claimsOf = (set: StatefulSet, ordinal: number, claimNamed: ClaimNamed): readonly PersistentVolumeClaim[] =>
  (set.spec.volumeClaimTemplates ?? []).flatMap(
    ({ metadata }) => claimNamed(claimName(set, metadata.name, ordinal)) ?? [],
  );

/**
 * Whether a claim belongs to an earlier Pod with the name of a new Pod: it is deleted with that Pod, and the new one waits.
 */
export function isStale(set: StatefulSet, ordinal: number, { metadata }: PersistentVolumeClaim): boolean {
  if (policyOf(set).whenScaled !== "Delete") return false;
  const name = podName(set, ordinal);
  return metadata.ownerReferences?.some((reference) => isToPod(reference, name)) === true;
}

/** Whether a claim has another controller, or an earlier object with the name of the Pod or StatefulSet as its owner. */
export function hasOtherController(set: StatefulSet, pod: Pod, { metadata }: PersistentVolumeClaim): boolean {
  const { whenScaled, whenDeleted } = policyOf(set);
  if (whenScaled !== "Delete" && whenDeleted !== "Delete") return false;
  return (metadata.ownerReferences ?? []).some((reference) => {
    const named = namedBy(reference, set, pod);
    return named ? reference.uid !== named.metadata.uid : reference.controller === true;
  });
}

/** Returns a claim with the owners of the policy; undefined where it has them, or they are left to others. */
export function withOwners(
  set: StatefulSet,
  ordinal: number,
  pod: Pod,
  claim: PersistentVolumeClaim,
): PersistentVolumeClaim | undefined {
  const references = claim.metadata.ownerReferences ?? [];
  // It belongs to an earlier object with that name: the garbage collector deletes it.
  if (references.some((one) => (namedBy(one, set, pod)?.metadata.uid ?? one.uid) !== one.uid)) return undefined;
  const own = references.filter((one) => namedBy(one, set, pod));
  const wanted = hasOtherController(set, pod, claim) ? [] : ownersOf(set, ordinal, pod);
  const isRight =
    own.length === wanted.length && wanted.every(({ uid }) => own.some((one) => one.uid === uid && one.controller));
  if (isRight) return undefined;
  const others = references.filter((one) => !own.includes(one));
  return { ...claim, metadata: { ...claim.metadata, ownerReferences: [...others, ...wanted] } };
}

/** The owner of a claim: the Pod that is to be deleted, or the StatefulSet. */
function ownersOf(set: StatefulSet, ordinal: number, pod: Pod): readonly ObjectMetaOwnerReference[] {
  const { whenScaled, whenDeleted } = policyOf(set);
  if (whenScaled === "Delete" && !isWanted(set, ordinal)) return [referenceTo(pod)];
  return whenDeleted === "Delete" ? [referenceTo(set)] : [];
}

const policyOf = ({ spec }: StatefulSet): { readonly whenDeleted?: string; readonly whenScaled?: string } =>
  spec.persistentVolumeClaimRetentionPolicy ?? {};

/** The Pod or StatefulSet that a reference names, whatever its uid. */
function namedBy(reference: ObjectMetaOwnerReference, set: StatefulSet, pod: Pod): StatefulSet | Pod | undefined {
  if (isToPod(reference, pod.metadata.name)) return pod;
  const { apiVersion, kind, name } = reference;
  return apiVersion === "apps/v1" && kind === "StatefulSet" && name === set.metadata.name ? set : undefined;
}

const isToPod = ({ apiVersion, kind, name }: ObjectMetaOwnerReference, pod: string): boolean =>
  apiVersion === "v1" && kind === "Pod" && name === pod;
