/**
 * Snapshots of volumes as kinds: custom resources, which users install (snapshot.storage.k8s.io/v1).
 *
 * @module
 */
import { type ApiObject, type Kind, kindOfType } from "../../client/index.ts";
import type { Texts } from "../contract.ts";

/** What went wrong the last time. */
export interface SnapshotError {
  readonly time?: string;
  readonly message?: string;
}

/** A snapshot that somebody asks for. */
export interface VolumeSnapshot extends ApiObject {
  readonly spec: {
    readonly source: {
      readonly persistentVolumeClaimName?: string;
      /** A content that is there already. */
      readonly volumeSnapshotContentName?: string;
    };
    readonly volumeSnapshotClassName?: string;
  };
  readonly status?: {
    readonly boundVolumeSnapshotContentName?: string;
    readonly creationTime?: string;
    readonly readyToUse?: boolean;
    /** A quantity. */
    readonly restoreSize?: string;
    readonly error?: SnapshotError;
  };
}

/** A snapshot as its driver knows it. */
export interface VolumeSnapshotContent extends ApiObject {
  readonly spec: {
    readonly volumeSnapshotRef: {
      readonly apiVersion?: string;
      readonly kind?: string;
      readonly namespace?: string;
      readonly name?: string;
      readonly uid?: string;
      readonly resourceVersion?: string;
    };
    readonly deletionPolicy: string;
    readonly driver: string;
    readonly volumeSnapshotClassName?: string;
    /** Exactly one: a volume to take it of, or a snapshot that is there already. */
    readonly source: { readonly volumeHandle?: string; readonly snapshotHandle?: string };
    readonly sourceVolumeMode?: string;
  };
  readonly status?: {
    readonly snapshotHandle?: string;
    /** Nanoseconds since the epoch. */
    readonly creationTime?: number;
    /** Bytes. */
    readonly restoreSize?: number;
    readonly readyToUse?: boolean;
    readonly error?: SnapshotError;
  };
}

/** Who takes snapshots, and what becomes of them. */
export interface VolumeSnapshotClass extends ApiObject {
  readonly driver: string;
  readonly parameters?: Texts;
  readonly deletionPolicy: string;
}

/** The kinds of snapshots. */
export interface SnapshotKinds {
  readonly snapshot: Kind<VolumeSnapshot, "Namespaced">;
  readonly content: Kind<VolumeSnapshotContent, "Cluster">;
  readonly class: Kind<VolumeSnapshotClass, "Cluster">;
}

/** The kinds of snapshots in a group. */
export const snapshotKinds = (group: string): SnapshotKinds => ({
  snapshot: kindOfType<VolumeSnapshot>()({
    group,
    version: "v1",
    kind: "VolumeSnapshot",
    plural: "volumesnapshots",
    scope: "Namespaced",
  }),
  content: kindOfType<VolumeSnapshotContent>()({
    group,
    version: "v1",
    kind: "VolumeSnapshotContent",
    plural: "volumesnapshotcontents",
    scope: "Cluster",
  }),
  class: kindOfType<VolumeSnapshotClass>()({
    group,
    version: "v1",
    kind: "VolumeSnapshotClass",
    plural: "volumesnapshotclasses",
    scope: "Cluster",
  }),
});
