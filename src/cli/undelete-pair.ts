/**
 * Claims and volumes when one of them is made again: each names the other, the volume by the uid of its claim, which is another one now.
 *
 * What is decided here lets both be bound to each other again, and never lets a volume that comes back go to the driver that deletes it.
 *
 * @module
 */
import type { ApiObject } from "../schema/definition.ts";
import type { Loss } from "./undelete-plan.ts";

/** How an object comes back beside the other one of its pair. */
export interface Pairing {
  /** What is created. */
  readonly body: ApiObject;
  /** The volume that is to name the uid of the claim, once that is known. */
  readonly volume?: string;
  /** Annotations by which the binder knows that both were bound: right again once the volume names the claim. */
  readonly marks: Readonly<Record<string, string>>;
  /** Whether the status of before is right again. */
  readonly holds: boolean;
  readonly losses: readonly Loss[];
}

interface ClaimRef {
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** What is looked at of an object of a pair. */
export interface Paired {
  readonly metadata: Pick<ApiObject["metadata"], "name" | "namespace" | "uid" | "deletionTimestamp">;
  readonly spec?: unknown;
}

/** Which objects make a pair: the other one is looked up by the caller. */
export type Side = "claim" | "volume";

/** The side of an object in a pair of claim and volume. */
export function sideOf({ apiVersion, kind }: ApiObject): Side | undefined {
  if (apiVersion !== "v1") return undefined;
  return kind === "PersistentVolumeClaim" ? "claim" : kind === "PersistentVolume" ? "volume" : undefined;
}

/** The name of the volume that a claim had. */
export const volumeNameOf = ({ spec }: Paired): string | undefined =>
  (spec as { readonly volumeName?: string } | undefined)?.volumeName || undefined;

/** The claim that a volume names, in which way ever. */
export const claimRefOf = ({ spec }: Paired): ClaimRef | undefined =>
  (spec as { readonly claimRef?: ClaimRef } | undefined)?.claimRef;

/** How a claim comes back. @param volume the one that it names, as it is now */
export function pairClaim(claim: ApiObject, volume: Paired | undefined): Pairing {
  const name = volumeNameOf(claim);
  if (name === undefined) return { body: claim, marks: {}, holds: true, losses: [] };
  const apart = (why: string): Pairing => {
    return { body: claim, marks: {}, holds: false, losses: [{ what: "binding", why }] };
  };
  if (!volume)
    return apart(`its volume ${name} does not exist; where the disk does, keelson undelete pv ${name} binds both`);
  if (volume.metadata.deletionTimestamp !== undefined) return apart(`its volume ${name} is being deleted`);
  const ref = claimRefOf(volume);
  if (ref && !isNamed(ref, claim)) return apart(`its volume ${name} belongs to the claim ${refText(ref)} now`);
  const { annotations = {}, ...metadata } = claim.metadata;
  const isMark = ([key]: readonly [string, string]): boolean => /^pv\.[^/]+\/bind-completed$/.test(key);
  const all = Object.entries(annotations);
  const body = {
    ...claim,
    metadata: { ...metadata, annotations: Object.fromEntries(all.filter((one) => !isMark(one))) },
  };
  return { body, volume: name, marks: Object.fromEntries(all.filter(isMark)), holds: true, losses: [] };
}

/**
 * How a volume comes back.
 *
 * @param phase in which it was
 * @param claim the one of the name that it has, as it is now
 */
export function pairVolume(volume: ApiObject, phase: string | undefined, claim: Paired | undefined): Pairing {
  const as = (holds: boolean, losses: readonly Loss[], ref?: ClaimRef): Pairing => {
    const body = ref ? { ...volume, spec: { ...(volume.spec as object | undefined), claimRef: ref } } : volume;
    return { body, marks: {}, holds, losses };
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

/** What becomes of a volume whose claim had gone before it was deleted. */
function releasedLosses({ spec }: Paired): Loss[] {
  if ((spec as { readonly persistentVolumeReclaimPolicy?: string }).persistentVolumeReclaimPolicy !== "Delete")
    return [];
  return [{ what: "disk", why: "its claim had gone and its policy is Delete: who made the volume deletes it again" }];
}

const isNamed = ({ namespace, name }: ClaimRef, { metadata }: ApiObject): boolean =>
  name === metadata.name && namespace === metadata.namespace;

const refText = ({ namespace, name }: ClaimRef): string => `${namespace}/${name}`;
