/**
 * What snapshots are made from, and what is followed of them.
 *
 * @module
 */
import { type InformerSpec, sharedInformer } from "../../runtime/index.ts";
import type { Sidecar } from "../sidecar.ts";
import {
  type SnapshotKinds,
  type VolumeSnapshot,
  type VolumeSnapshotClass,
  type VolumeSnapshotContent,
  snapshotKinds,
} from "./kinds.ts";

/** See the head of this file. */
export interface SnapshotSpecs {
  readonly kinds: SnapshotKinds;
  readonly snapshots: InformerSpec<VolumeSnapshot, "Namespaced", "claim" | "class">;
  readonly contents: InformerSpec<VolumeSnapshotContent, "Cluster", never>;
  readonly classes: InformerSpec<VolumeSnapshotClass, "Cluster", never>;
}

/** The informers of snapshots. */
export function snapshotSpecs({ names }: Sidecar): SnapshotSpecs {
  const kinds = snapshotKinds(names.snapshotGroup);
  return {
    kinds,
    snapshots: sharedInformer(kinds.snapshot, {
      indexes: {
        claim: ({ metadata, spec }: VolumeSnapshot) =>
          spec.source.persistentVolumeClaimName === undefined
            ? undefined
            : `${metadata.namespace}/${spec.source.persistentVolumeClaimName}`,
        class: ({ spec }: VolumeSnapshot) => spec.volumeSnapshotClassName ?? "",
      },
    }),
    contents: sharedInformer(kinds.content),
    classes: sharedInformer(kinds.class),
  };
}

/** The name of the content that is made for a snapshot. */
export const contentNameOf = ({ metadata }: VolumeSnapshot): string => `snapcontent-${metadata.uid}`;

/** Whether a content names a snapshot, and is not reserved for another one of its name. */
export function isContentOf({ spec }: VolumeSnapshotContent, { metadata }: VolumeSnapshot): boolean {
  const { name, namespace, uid } = spec.volumeSnapshotRef;
  return name === metadata.name && namespace === metadata.namespace && (!uid || uid === metadata.uid);
}
