/**
 * Decides how a claim or a volume is restored: each names the other one, and the claimRef of the volume has the uid of the claim,
 * which is a new one.
 *
 * Both can be bound to each other again, and a restored volume is never deleted by its driver for its old claimRef.
 *
 * @module
 */
import type { Loss, RestorableObject } from "./undelete-plan.ts";

/** How a claim or a volume is restored. */
export interface Pairing {
  /** The object to create. */
  readonly body: RestorableObject;
  /** The volume whose claimRef gets the uid of the created claim. */
  readonly volume?: string;
  /** Annotations of the binder for a bound claim, to set after the claimRef. */
  readonly boundAnnotations: Readonly<Record<string, string>>;
  /** Whether the previous status is still correct. */
  readonly restoresStatus: boolean;
  readonly losses: readonly Loss[];
}

interface ClaimRef {
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** The members of a claim or a volume that are needed here. */
export interface Paired {
  readonly metadata: Pick<RestorableObject["metadata"], "name" | "namespace" | "uid" | "deletionTimestamp">;
  readonly spec?: unknown;
}

/** Whether an object is a claim or a volume. */
export type Side = "claim" | "volume";

/** Returns whether an object is a claim or a volume; undefined for another kind. */
export function sideOf({ apiVersion, kind }: RestorableObject): Side | undefined {
  if (apiVersion !== "v1") return undefined;
  return kind === "PersistentVolumeClaim" ? "claim" : kind === "PersistentVolume" ? "volume" : undefined;
}

/** Returns the name of the volume of a claim. */
export const volumeNameOf = ({ spec }: Paired): string | undefined =>
  (spec as { readonly volumeName?: string } | undefined)?.volumeName || undefined;

/** Returns the claimRef of a volume. */
export const claimRefOf = ({ spec }: Paired): ClaimRef | undefined =>
  (spec as { readonly claimRef?: ClaimRef } | undefined)?.claimRef;

/** Decides how a claim is restored. @param volume the current volume of its name */
export function pairClaim(claim: RestorableObject, volume: Paired | undefined): Pairing {
  const name = volumeNameOf(claim);
  if (name === undefined) return { body: claim, boundAnnotations: {}, restoresStatus: true, losses: [] };
  const unbound = (why: string): Pairing => {
    return { body: claim, boundAnnotations: {}, restoresStatus: false, losses: [{ what: "binding", why }] };
  };
  if (!volume)
    return unbound(`its volume ${name} does not exist; if its disk exists, keelson undelete pv ${name} binds both`);
  if (volume.metadata.deletionTimestamp !== undefined) return unbound(`its volume ${name} is being deleted`);
  const ref = claimRefOf(volume);
  if (ref && !isNamed(ref, claim)) return unbound(`its volume ${name} belongs to the claim ${refText(ref)} now`);
  const { annotations = {}, ...metadata } = claim.metadata;
  const isMark = ([key]: readonly [string, string]): boolean => /^pv\.[^/]+\/bind-completed$/.test(key);
  const all = Object.entries(annotations);
  const body = {
    ...claim,
    metadata: { ...metadata, annotations: Object.fromEntries(all.filter((one) => !isMark(one))) },
  };
  return {
    body,
    volume: name,
    boundAnnotations: Object.fromEntries(all.filter(isMark)),
    restoresStatus: true,
    losses: [],
  };
}

/**
 * Decides how a volume is restored.
 *
 * @param phase of the deleted volume
 * @param claim the current claim of the name in its claimRef
 */
export function pairVolume(volume: RestorableObject, phase: string | undefined, claim: Paired | undefined): Pairing {
  const as = (restoresStatus: boolean, losses: readonly Loss[], ref?: ClaimRef): Pairing => {
    const body = ref ? { ...volume, spec: { ...(volume.spec as object | undefined), claimRef: ref } } : volume;
    return { body, boundAnnotations: {}, restoresStatus, losses };
  };
  const ref = claimRefOf(volume);
  if (!ref?.uid || ref.uid === claim?.metadata.uid) return as(true, []);
  const isReleased = phase === "Released" || phase === "Failed";
  const { uid: old, resourceVersion: _, ...reservation } = ref;
  const other = claim && volumeNameOf(claim);
  if (claim && (other === volume.metadata.name || (other === undefined && !isReleased))) {
    return as(true, [], { ...reservation, ...(claim.metadata.uid ? { uid: claim.metadata.uid } : {}) });
  }
  if (isReleased) return as(true, releasedLosses(volume));
  const where = claim ? `has the volume ${other}` : "does not exist";
  const why = `was ${old}; the claim ${refText(ref)} ${where}: the volume is reserved for a claim of that name`;
  return as(false, [{ what: "spec.claimRef.uid", why }], reservation);
}

/** Returns the losses of a volume whose claim was deleted before. */
function releasedLosses({ spec }: Paired): Loss[] {
  if ((spec as { readonly persistentVolumeReclaimPolicy?: string }).persistentVolumeReclaimPolicy !== "Delete")
    return [];
  return [
    {
      what: "disk",
      why: "its claim was deleted and its reclaim policy is Delete: the provisioner deletes the disk again",
    },
  ];
}

const isNamed = ({ namespace, name }: ClaimRef, { metadata }: RestorableObject): boolean =>
  name === metadata.name && namespace === metadata.namespace;

const refText = ({ namespace, name }: ClaimRef): string => `${namespace}/${name}`;
