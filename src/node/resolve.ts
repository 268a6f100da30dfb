/**
 * Resolves a volume of a Pod to its claim and its PersistentVolume.
 *
 * An agent may only get single claims and volumes, so each reconcile reads both again.
 *
 * @module
 */
import type { Client } from "../client/index.ts";
import { PersistentVolume, PersistentVolumeClaim, type Pod } from "../client/kinds/index.ts";
import { claimKeyOf } from "../claims/pod-claims.ts";
import { type NeededVolume, VolumeError } from "./contract.ts";
import { NotYet } from "./not-yet.ts";
import type { VolumeUse } from "./uses.ts";

/** The context of a resolution. */
export interface Resolving {
  readonly client: Client;
  /** The finalizer of claims that are in use. */
  readonly protection: string;
  readonly signal: AbortSignal;
}

/**
 * A volume with its claim and its PersistentVolume, still without its path.
 *
 * @param isMade whether the volume is set up: it stays then, whatever happens to its claim
 */
export async function resolve(
  resolving: Resolving,
  pod: Pod,
  { volume, modes }: VolumeUse,
  isMade: boolean,
): Promise<NeededVolume> {
  const persistent = await persistentOf(resolving, pod, volume, isMade);
  const mode = persistent?.volume.spec.volumeMode === "Block" ? "Block" : "Filesystem";
  if ([...modes].some((used) => used !== mode)) throw new VolumeError(MISUSED[mode]);
  return { pod, volume, persistent, mode, readOnly: isReadOnly(volume), path: "" };
}

const MISUSED = {
  Block: "the volume is a block device, expected it in volumeDevices of containers, not in volumeMounts",
  Filesystem: "the volume is a file system, expected it in volumeMounts of containers, not in volumeDevices",
} as const;

const isReadOnly = ({ persistentVolumeClaim, csi }: NeededVolume["volume"]): boolean =>
  (persistentVolumeClaim ?? csi)?.readOnly === true;

/** The claim of a volume, and its PersistentVolume (NODE-65, NODE-66). @throws NotYet while they do not exist */
async function persistentOf(
  { client, protection, signal }: Resolving,
  pod: Pod,
  volume: NeededVolume["volume"],
  isMade: boolean,
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
  const { deletionTimestamp, finalizers = [] } = claim.metadata;
  // Without its finalizer it is deleted soon, with its volume, also while a Pod uses that.
  if (deletionTimestamp !== undefined && !finalizers.includes(protection) && !isMade) {
    throw new NotYet(`error processing PVC ${key.namespace}/${key.name}: PVC is being deleted`);
  }
  const { volumeName } = claim.spec;
  if (claim.status.phase !== "Bound" || !volumeName) {
    throw new NotYet(`persistentvolumeclaim "${key.name}" is not bound yet`);
  }
  const bound = await client.resource(PersistentVolume).find({ name: volumeName }, { signal });
  if (!bound) {
    throw new NotYet(
      `persistentvolumeclaim "${key.name}" is bound to the persistentvolume "${volumeName}", which does not exist`,
    );
  }
  if (bound.spec.claimRef?.uid !== claim.metadata.uid) {
    throw new NotYet(`the persistentvolume "${volumeName}" is bound to another claim than "${key.name}"`);
  }
  return { claim, volume: bound };
}

const isOwned = ({ metadata }: PersistentVolumeClaim, pod: Pod): boolean =>
  metadata.ownerReferences?.some(({ uid, controller }) => controller === true && uid === pod.metadata.uid) === true;
