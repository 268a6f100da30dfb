/**
 * The informers of snapshots, and what reconciles of them have.
 *
 * @module
 */
import { sharedInformer } from "../../runtime/index.ts";
import type { Sidecar, SidecarContext } from "../sidecar.ts";
import { type VolumeSnapshot, type VolumeSnapshotContent, snapshotKinds } from "./kinds.ts";

/** The informers of snapshots, and their kinds. */
export type SnapshotSpecs = ReturnType<typeof snapshotSpecs>;

/** What a reconcile of a snapshot has. */
export interface SnapshotContext extends SidecarContext<VolumeSnapshot, "Namespaced"> {
  readonly specs: SnapshotSpecs;
}

/** What a reconcile of a content has. */
export interface ContentContext extends SidecarContext<VolumeSnapshotContent, "Cluster"> {
  readonly specs: SnapshotSpecs;
  /** How many times in a row the driver has not responded whether there is a snapshot, by content. */
  readonly unclear: Map<string, number>;
}

/** The informers of snapshots, and their kinds. */
export function snapshotSpecs({ names }: Sidecar) {
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

/** The name of the content of a dynamic snapshot. */
export const contentNameOf = ({ metadata }: VolumeSnapshot): string => `snapcontent-${metadata.uid}`;

/** Whether a content names a snapshot, and not another one of the same name. */
export function isContentOf({ spec }: VolumeSnapshotContent, { metadata }: VolumeSnapshot): boolean {
  const { name, namespace, uid } = spec.volumeSnapshotRef;
  return name === metadata.name && namespace === metadata.namespace && (!uid || uid === metadata.uid);
}
