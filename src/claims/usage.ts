/** Which objects use a claim, a volume or an attributes class, and how long a Pod does. */
import type { PersistentVolume, PersistentVolumeClaim, Pod } from "../client/kinds/index.ts";
import { claimsOfPod } from "./pod-claims.ts";

/** Whether a Pod on a node uses a claim of its namespace; an ephemeral claim must be its own (CTL-PVCP-1..6). */
export function usesClaim(pod: Pod, claim: PersistentVolumeClaim): boolean {
  const { metadata, spec } = pod;
  const { name } = claim.metadata;
  if (!spec.nodeName || !claimsOfPod(pod).some((key) => key.name === name)) return false;
  if (spec.volumes?.some(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === name)) return true;
  // Such a Pod runs nothing any more.
  if (metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0) return false;
  return claim.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid) === true;
}

/** Whether a Pod has no node yet, and will get one. */
export const waitsForNode = (pod: Pod): boolean => !pod.spec.nodeName && !isFinished(pod);

/** Whether a Pod is in a terminal phase. */
export const isFinished = ({ status }: Pod): boolean => FINISHED.has(status.phase ?? "");

const FINISHED = new Set(["Succeeded", "Failed"]);

/** Whether no container of a Pod runs any more: it is terminal, or terminating with none left. */
export function hasEnded(pod: Pod): boolean {
  if (isFinished(pod)) return true;
  if (pod.metadata.deletionTimestamp === undefined) return false;
  return (pod.status.containerStatuses ?? []).every(({ state }) => state?.running === undefined);
}

/** Whether a volume is in use, which means bound (CTL-PVP-1..3). */
export const isUsed = ({ status }: PersistentVolume): boolean => status.phase === "Bound";

/** Returns the attributes classes that a claim has, gets or requests. */
export const classesOfClaim = ({ spec, status }: PersistentVolumeClaim): string[] => {
  const { currentVolumeAttributesClassName: current, modifyVolumeStatus: change } = status;
  return [spec.volumeAttributesClassName, current, change?.targetVolumeAttributesClassName].flatMap(
    (name) => name || [],
  );
};

/** Returns the attributes class of a volume, if it has one. */
export const classesOfVolume = ({ spec: { volumeAttributesClassName: name } }: PersistentVolume): string[] =>
  name ? [name] : [];
