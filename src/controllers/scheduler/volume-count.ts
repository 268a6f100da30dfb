/** Counts the volumes of drivers on a node: those of its Pods, and the attached ones (SCHED-42, SCHED-43, SCHED-45). */
import { keyText } from "../../client/index.ts";
import type { CSINode, PersistentVolume, PersistentVolumeClaim, VolumeAttachment } from "../../client/kinds/index.ts";
import { classOf, isMeantFor } from "../../claims/fit.ts";
import type { View } from "./view.ts";
import type { NodeView } from "./node-state.ts";

/** A volume for a limit: a shared volume counts once (CSIN-16). */
export interface CountedVolume {
  readonly driver: string;
  readonly id: string;
}

type Lookup = Pick<View, "claim" | "volume" | "volumesNaming" | "storageClass" | "names">;

/** Returns the volume IDs on a node, by driver. */
export function volumesOn(
  { pods, csiNode }: NodeView,
  attachments: readonly VolumeAttachment[],
  view: Lookup,
): ReadonlyMap<string, ReadonlySet<string>> {
  const all = new Map<string, Set<string>>();
  const add = (volume: CountedVolume | undefined): void => {
    if (!volume) return;
    const ids = all.get(volume.driver) ?? new Set<string>();
    all.set(volume.driver, ids.add(volume.id));
  };
  for (const { claims } of pods.values()) {
    for (const key of claims) {
      const claim = view.claim(key);
      if (claim) add(countedOf(claim, csiNode, view));
    }
  }
  for (const { spec } of attachments) {
    const { persistentVolumeName, inlineVolumeSpec } = spec.source;
    const volume = persistentVolumeName ? view.volume(persistentVolumeName) : undefined;
    const disk = volume && diskOf(volume, csiNode, view);
    const handle = disk?.id ?? inlineVolumeSpec?.csi?.volumeHandle ?? `volume ${persistentVolumeName}`;
    add({ driver: spec.attacher, id: handle });
  }
  return all;
}

/** Returns the volume of a claim; a claim without a volume counts for the driver of its class, under its own name. */
export function countedOf(
  claim: PersistentVolumeClaim,
  csiNode: CSINode | undefined,
  view: Lookup,
): CountedVolume | undefined {
  const { namespace, name } = claim.metadata;
  const volume = claim.spec.volumeName
    ? view.volume(claim.spec.volumeName)
    : view.volumesNaming(keyText(claim.metadata)).find((one) => isMeantFor(one, claim));
  if (volume) return diskOf(volume, csiNode, view);
  const storageClass = view.storageClass(classOf(claim, view.names.binder));
  if (!storageClass) return undefined;
  const driver = view.names.migration.driverOf(storageClass.provisioner) ?? storageClass.provisioner;
  return { driver, id: `claim ${namespace}/${name}` };
}

/** Returns the driver and ID of a volume; undefined where it has no driver. */
export function diskOf(
  volume: PersistentVolume,
  csiNode: CSINode | undefined,
  { names }: Pick<View, "names">,
): CountedVolume | undefined {
  const { csi } = volume.spec;
  if (csi) return { driver: csi.driver, id: csi.volumeHandle };
  const source = names.migration.ofSource(volume);
  const plugins = csiNode?.metadata.annotations?.[names.migratedPlugins]?.split(",") ?? [];
  return source && plugins.includes(source.plugin) ? { driver: source.driver, id: source.handle } : undefined;
}
