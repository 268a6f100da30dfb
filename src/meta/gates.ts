import type { Dialect } from "./dialect.ts";

/** The feature gates that are real switches (DEC-38, VER-8). */
export const GATES = [
  "AnyVolumeDataSource",
  "CrossNamespaceVolumeDataSource",
  "VolumeAttributesClass",
  "MutableCSINodeAllocatableCount",
  "MutablePVNodeAffinity",
  "ClusterTrustBundle",
  "ClusterTrustBundleProjection",
  "PodCertificateRequest",
  "ImageVolume",
  "CSIMigration",
  "VolumeScheduling",
  "CSIServiceAccountTokenSecrets",
  "CoordinatedLeaderElection",
  "SELinuxMountReadWriteOncePod",
  "StorageVersionMigrator",
] as const;

/** The name of a feature gate. */
export type Gate = (typeof GATES)[number];

/** Which gates are on. */
export type Gates = Readonly<Record<Gate, boolean>>;

const OFF: Record<Dialect["name"], readonly Gate[]> = {
  neutral: [
    "CrossNamespaceVolumeDataSource",
    "VolumeAttributesClass",
    "MutablePVNodeAffinity",
    "ClusterTrustBundleProjection",
  ],
  kubernetes: [
    "CrossNamespaceVolumeDataSource",
    "MutablePVNodeAffinity",
    "ClusterTrustBundle",
    "ClusterTrustBundleProjection",
    "PodCertificateRequest",
    "CoordinatedLeaderElection",
    "StorageVersionMigrator",
  ],
};

/** The gates of a dialect with some of them set: the documents' defaults, or those of 1.35 (DEC-38). */
export function gatesOf(dialect: Dialect, set: Readonly<Partial<Record<Gate, boolean>>> = {}): Gates {
  const gates = {} as Record<Gate, boolean>;
  for (const gate of GATES) gates[gate] = set[gate] ?? !OFF[dialect.name].includes(gate);
  return gates;
}
