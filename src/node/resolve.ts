/**
 * From a volume of a Pod to what it stands for: the claim and the volume behind it, where it names one.
 *
 * An agent may get single claims and volumes and nothing more, so both are asked for anew whenever the volume is looked at.
 *
 * @module
 */
import type { Client } from "../client/index.ts";
import { PersistentVolume, PersistentVolumeClaim, type Pod } from "../client/kinds/index.ts";
import { claimKeyOf } from "../controllers/pod-claims.ts";
import { type NeededVolume, VolumeError } from "./contract.ts";
import { NotYet } from "./not-yet.ts";
import type { VolumeUse } from "./uses.ts";

/** What a volume needs to be made, without the place where it is made. */
export async function resolve(
  client: Client,
  pod: Pod,
  { volume, modes }: VolumeUse,
  signal: AbortSignal,
): Promise<NeededVolume> {
  const persistent = await persistentOf(client, pod, volume, signal);
  const mode = persistent?.volume.spec.volumeMode === "Block" ? "Block" : "Filesystem";
  if ([...modes].some((used) => used !== mode)) throw new VolumeError(MISUSED[mode]);
  return { pod, volume, persistent, mode, readOnly: isReadOnly(volume), path: "" };
}

const MISUSED = {
  Block: "it is a block device: a container takes it by volumeDevices, not by volumeMounts",
  Filesystem: "it is a file system: a container takes it by volumeMounts, not by volumeDevices",
} as const;

const isReadOnly = ({ persistentVolumeClaim, csi }: NeededVolume["volume"]): boolean =>
  (persistentVolumeClaim ?? csi)?.readOnly === true;

/** The claim of a volume and what it is bound to (NODE-65, NODE-66). @throws NotYet while they are not there */
async function persistentOf(
  client: Client,
  pod: Pod,
  volume: NeededVolume["volume"],
  signal: AbortSignal,
): Promise<NeededVolume["persistent"]> {
  const key = claimKeyOf(pod, volume);
  if (!key) return undefined;
  const claim = await client.resource(PersistentVolumeClaim).find(key, { signal });
  if (!claim) throw new NotYet(`persistentvolumeclaim "${key.name}" not found`);
  if (volume.ephemeral && !isOwned(claim, pod)) {
    throw new NotYet(
      `persistentvolumeclaim "${key.name}" was not created for pod ${pod.metadata.namespace}/${pod.metadata.name}`,
    );
  }
  const { volumeName } = claim.spec;
  if (claim.status.phase !== "Bound" || !volumeName) {
    throw new NotYet(`persistentvolumeclaim "${key.name}" is not bound yet`);
  }
  const bound = await client.resource(PersistentVolume).find({ name: volumeName }, { signal });
  if (!bound)
    throw new NotYet(
      `persistentvolumeclaim "${key.name}" is bound to the persistentvolume "${volumeName}", which does not exist`,
    );
  if (bound.spec.claimRef?.uid !== claim.metadata.uid) {
    throw new NotYet(`the persistentvolume "${volumeName}" is bound to another claim than "${key.name}"`);
  }
  return { claim, volume: bound };
}

const isOwned = ({ metadata }: PersistentVolumeClaim, pod: Pod): boolean =>
  metadata.ownerReferences?.some(({ uid, controller }) => controller === true && uid === pod.metadata.uid) === true;
