/**
 * Which objects use a claim, a volume or an attributes class, and how long a Pod uses what it names.
 *
 * @module
 */
import type { PersistentVolume, PersistentVolumeClaim, Pod } from "../client/kinds/index.ts";
import { claimsOfPod } from "./pod-claims.ts";

/**
 * Whether a pod keeps a claim of its namespace: it names it, is on a node, and where the claim is ephemeral it is that pod's own
 * (CTL-PVCP-1..6).
 */
export function usesClaim(pod: Pod, claim: PersistentVolumeClaim): boolean {
  const { metadata, spec } = pod;
  const { name } = claim.metadata;
  if (!spec.nodeName || !claimsOfPod(pod).some((key) => key.name === name)) return false;
  if (spec.volumes?.some(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === name)) return true;
  // Nothing of a pod runs any more that is given no time to end.
  if (metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0) return false;
  return claim.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid) === true;
}

/** Whether a pod that names a claim has no node yet, and will have one. */
export const waitsForNode = (pod: Pod): boolean => !pod.spec.nodeName && !isFinished(pod);

/** Whether a pod has come to its end by itself. */
export const isFinished = ({ status }: Pod): boolean => FINISHED.has(status.phase ?? "");

const FINISHED = new Set(["Succeeded", "Failed"]);

/** Whether nothing of a Pod runs any more: it has ended, or it is leaving and none of its containers is left. */
export function hasEnded(pod: Pod): boolean {
  if (isFinished(pod)) return true;
  if (pod.metadata.deletionTimestamp === undefined) return false;
  return (pod.status.containerStatuses ?? []).every(({ state }) => state?.running === undefined);
}

/** Whether a volume is in use: it is bound (CTL-PVP-1..3). */
export const isUsed = ({ status }: PersistentVolume): boolean => status.phase === "Bound";

/** The attributes classes that a claim has, is given or wants. */
export const classesOfClaim = ({ spec, status }: PersistentVolumeClaim): string[] => {
  const { currentVolumeAttributesClassName: current, modifyVolumeStatus: change } = status;
  return [spec.volumeAttributesClassName, current, change?.targetVolumeAttributesClassName].filter(
    (name) => !!name,
  ) as string[];
};

/** The attributes class of a volume, if it has one. */
export const classesOfVolume = ({ spec: { volumeAttributesClassName: name } }: PersistentVolume): string[] =>
  name ? [name] : [];
