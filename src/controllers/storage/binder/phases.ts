/**
 * What the binder says of volumes and claims: phases, and what a claim has of its volume.
 *
 * @module
 */
import type { Client } from "../../../client/index.ts";
import { PersistentVolume, PersistentVolumeClaim } from "../../../client/kinds/index.ts";
import { writeStatus } from "../../../runtime/writes.ts";
import type { BinderNames } from "../../../claims/annotations.ts";

/** Gives a volume a phase, and says why where there is more to say; nothing is written when it has both. */
export async function setPhase(
  client: Client,
  volume: PersistentVolume,
  phase: string,
  message?: string,
): Promise<PersistentVolume | undefined> {
  if (volume.status.phase === phase && (message ?? volume.status.message) === volume.status.message) return volume;
  const { message: _, ...status } = volume.status;
  const next = { ...volume, status: { ...status, phase, ...(message === undefined ? {} : { message }) } };
  return writeStatus(client, PersistentVolume, next);
}

/** Says of a claim that it has a volume, all of it (CTL-BIND-15, 16). */
export async function setBound(
  client: Client,
  claim: PersistentVolumeClaim,
  { metadata, spec }: PersistentVolume,
  { beforeResize }: BinderNames,
): Promise<PersistentVolumeClaim | undefined> {
  const { status } = claim;
  const becomesBound = status.phase !== "Bound";
  // Of a volume that was enlarged the file system may still have to grow, on a node (CTL-EXP-13).
  const storage = metadata.annotations?.[beforeResize] ?? spec.capacity?.["storage"];
  const current = spec.volumeAttributesClassName;
  const next = {
    ...status,
    phase: "Bound",
    ...(spec.accessModes ? { accessModes: spec.accessModes } : {}),
    ...(becomesBound && storage !== undefined ? { capacity: { ...status.capacity, storage } } : {}),
    ...(becomesBound && current ? { currentVolumeAttributesClassName: current } : {}),
  };
  const isThere = !becomesBound && JSON.stringify(status.accessModes) === JSON.stringify(spec.accessModes);
  return isThere ? claim : writeStatus(client, PersistentVolumeClaim, { ...claim, status: next });
}

/** Says of a claim that it has no volume: it waits, or has lost the one that it had (CTL-BIND-17, 36). */
export async function setUnbound(
  client: Client,
  claim: PersistentVolumeClaim,
  phase: "Pending" | "Lost",
): Promise<PersistentVolumeClaim | undefined> {
  const { accessModes, capacity, ...rest } = claim.status;
  const changesPhase = rest.phase !== phase;
  if (!changesPhase && accessModes === undefined && capacity === undefined) return claim;
  const { currentVolumeAttributesClassName: _, ...bare } = rest;
  return writeStatus(client, PersistentVolumeClaim, { ...claim, status: { ...(changesPhase ? bare : rest), phase } });
}
