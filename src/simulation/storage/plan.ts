/** Volumes without storage: the volumes to create, expand and delete for claims of the simulated class. */
import type { NewObject } from "../../client/kind.ts";
import type { CSIDriver, PersistentVolume, PersistentVolumeClaim, StorageClass } from "../../client/kinds/index.ts";
import { classOf, requestOf } from "../../claims/fit.ts";
import type { BinderNames } from "../../claims/annotations.ts";
import { isGrowing } from "../../claims/resize.ts";
import { compareQuantities } from "../../meta/quantity.ts";

/** The name of the driver and provisioner of simulated volumes. */
export const DRIVER = "simulation.keelson.dev";

/** The name of the class of simulated volumes. */
export const CLASS = "simulated";

/** The driver: its volumes need no attachment. */
export const driverObject: NewObject<CSIDriver> = {
  metadata: { name: DRIVER },
  spec: { attachRequired: false, podInfoOnMount: false },
};

/** The class of simulated volumes. @param isDefault whether claims without a class are of this one */
export const classObject = (isDefault: boolean): NewObject<StorageClass> => ({
  metadata: {
    name: CLASS,
    ...(isDefault ? { annotations: { "storageclass.kubernetes.io/is-default-class": "true" } } : {}),
  },
  provisioner: DRIVER,
  reclaimPolicy: "Delete",
  volumeBindingMode: "Immediate",
  allowVolumeExpansion: true,
});

/** Returns the volume to make for a claim; undefined where another provisioner makes it, or it has one. */
export function volumeFor(
  claim: PersistentVolumeClaim,
  storageClass: StorageClass | undefined,
  names: BinderNames,
): NewObject<PersistentVolume> | undefined {
  const { metadata, spec, status } = claim;
  if (metadata.deletionTimestamp !== undefined || spec.volumeName || status.phase === "Bound") return undefined;
  if (metadata.annotations?.[names.provisioner[0]] !== DRIVER || storageClass?.provisioner !== DRIVER) return undefined;
  const name = `pvc-${metadata.uid}`;
  return {
    metadata: { name, annotations: { [names.provisionedBy]: DRIVER } },
    spec: {
      accessModes: spec.accessModes,
      capacity: { storage: requestOf(claim) },
      claimRef: {
        apiVersion: claim.apiVersion,
        kind: claim.kind,
        namespace: metadata.namespace,
        name: metadata.name,
        uid: metadata.uid,
        resourceVersion: metadata.resourceVersion,
      },
      csi: { driver: DRIVER, volumeHandle: name },
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy,
      storageClassName: classOf(claim, names),
      volumeMode: spec.volumeMode,
    },
  } as NewObject<PersistentVolume>;
}

/** The next step for a bound claim that requests more: first its volume, then its status; undefined for nothing. */
export function growthOf(
  claim: PersistentVolumeClaim,
  volume: PersistentVolume | undefined,
): { readonly volume: PersistentVolume } | { readonly claim: PersistentVolumeClaim } | undefined {
  if (claim.status.phase !== "Bound" || !isGrowing(claim)) return undefined;
  if (volume?.spec.csi?.driver !== DRIVER || volume.spec.claimRef?.uid !== claim.metadata.uid) return undefined;
  const storage = requestOf(claim);
  if (compareQuantities(volume.spec.capacity?.["storage"] ?? "0", storage) < 0) {
    return { volume: { ...volume, spec: { ...volume.spec, capacity: { ...volume.spec.capacity, storage } } } };
  }
  const { allocatedResources: _, allocatedResourceStatuses: __, ...status } = claim.status;
  return { claim: { ...claim, status: { ...status, capacity: { ...status.capacity, storage } } } };
}

/** Whether a volume must be deleted: its claim is deleted, and its class has that policy. */
export const isReclaimed = ({ metadata, spec, status }: PersistentVolume, names: BinderNames): boolean =>
  metadata.annotations?.[names.provisionedBy] === DRIVER &&
  status.phase === "Released" &&
  spec.persistentVolumeReclaimPolicy === "Delete" &&
  metadata.deletionTimestamp === undefined;
