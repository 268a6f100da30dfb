/**
 * The kinds of volume snapshots: custom resources that users install (snapshot.storage.k8s.io/v1).
 *
 * @module
 */
import { type ApiObject, kindOfType } from "../../client/index.ts";
import type { Texts } from "../contract.ts";

/** The last error. */
export interface SnapshotError {
  readonly time?: string;
  readonly message?: string;
}

/** A user's request for a snapshot. */
export interface VolumeSnapshot extends ApiObject {
  readonly spec: {
    readonly source: {
      readonly persistentVolumeClaimName?: string;
      /** A content that exists already. */
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

/** A snapshot of a driver. */
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
    /** Exactly one: the source volume, or a snapshot that exists already. */
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

/** The driver of snapshots, and their deletion policy. */
export interface VolumeSnapshotClass extends ApiObject {
  readonly driver: string;
  readonly parameters?: Texts;
  readonly deletionPolicy: string;
}

/** The kinds of snapshots. */
export type SnapshotKinds = ReturnType<typeof snapshotKinds>;

/** The kinds of snapshots in a group. */
export const snapshotKinds = (group: string) => ({
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
