/**
 * Which volumes of drivers a node has: those of its Pods, and those that are attached to it (SCHED-42, SCHED-43, SCHED-45).
 *
 * @module
 */
import { keyText } from "../../client/index.ts";
import type { CSINode, PersistentVolume, PersistentVolumeClaim, VolumeAttachment } from "../../client/kinds/index.ts";
import { classOf, isMeantFor } from "../../claims/fit.ts";
import type { View } from "./view.ts";
import type { NodeView } from "./node-state.ts";

/** A volume as limits count it: shared ones are the same (CSIN-16). */
export interface CountedVolume {
  readonly driver: string;
  readonly id: string;
}

/** What is looked up to count. */
type Lookup = Pick<View, "claim" | "volume" | "volumesNaming" | "storageClass" | "names">;

/** The volumes on a node, by their drivers. */
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

/** What a claim counts as; one that has no volume yet, nor was given one, counts by its class, with a name of its own. */
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

/** What a volume counts as: nothing where it is of no driver. */
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
