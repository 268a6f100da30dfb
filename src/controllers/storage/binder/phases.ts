/** Writes the phases of volumes and claims. */
import type { Client } from "../../../client/index.ts";
import { PersistentVolume, PersistentVolumeClaim } from "../../../client/kinds/index.ts";
import { writeStatus } from "../../../runtime/writes.ts";
import type { BinderNames } from "../../../claims/annotations.ts";

/** Writes the phase and message of a volume, where they change. */
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

/** Writes the status of a bound claim (CTL-BIND-15, 16). */
export async function setBound(
  client: Client,
  claim: PersistentVolumeClaim,
  { metadata, spec }: PersistentVolume,
  { beforeResize }: BinderNames,
): Promise<PersistentVolumeClaim | undefined> {
  const { status } = claim;
  const becomesBound = status.phase !== "Bound";
  // A node may still have to expand the file system (CTL-EXP-13).
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

/** Writes the status of a claim that waits or has lost its volume (CTL-BIND-17, 36). */
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
