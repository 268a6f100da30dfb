import type { Dialect } from "./dialect.ts";

/** Each feature gate with its stage in Kubernetes 1.35 and what it enables here. All are real switches (DEC-38, VER-8). */
export const GATE_FACTS = {
  AllowUnsafeMalformedObjectDeletion: {
    stage: "alpha",
    about: "`ignoreStoreReadErrorWithClusterBreakingPotential` of deletes: objects that cannot be read are removed.",
  },
  AnyVolumeDataSource: { stage: "stable", about: "`dataSourceRef` of claims, also to kinds that are no claims." },
  CrossNamespaceVolumeDataSource: { stage: "alpha", about: "`dataSourceRef` of claims to another namespace." },
  VolumeAttributesClass: {
    stage: "stable",
    about: "`volumeAttributesClassName` of claims and volumes, and its state in their status.",
  },
  MutableCSINodeAllocatableCount: {
    stage: "beta",
    about:
      "`nodeAllocatableUpdatePeriodSeconds` of drivers, a CSINode's count that changes, `errorCode` of attachments.",
  },
  MutatingAdmissionPolicy: {
    stage: "beta",
    about: "The kinds MutatingAdmissionPolicy and MutatingAdmissionPolicyBinding, and the policies themselves.",
  },
  MutablePVNodeAffinity: { stage: "alpha", about: "A volume's `nodeAffinity` may change when it is set." },
  ClusterTrustBundle: { stage: "beta", about: "The kind ClusterTrustBundle." },
  ClusterTrustBundleProjection: { stage: "beta", about: "`clusterTrustBundle` in projected volumes of Pods." },
  PodCertificateRequest: {
    stage: "beta",
    about: "The kind PodCertificateRequest, `podCertificate` in projected volumes of Pods.",
  },
  ImageVolume: { stage: "beta", about: "`image` as a volume of Pods." },
  CSIMigration: { stage: "stable", about: "`inlineVolumeSpec` of attachments." },
  VolumeScheduling: { stage: "stable", about: "`volumeBindingMode` and `allowedTopologies` of storage classes." },
  CSIServiceAccountTokenSecrets: { stage: "beta", about: "`serviceAccountTokenInSecrets` of drivers." },
  CoordinatedLeaderElection: { stage: "beta", about: "The kind LeaseCandidate; the neutral dialect always has it." },
  SELinuxMountReadWriteOncePod: { stage: "beta", about: "`seLinuxMount` of drivers." },
  StorageVersionMigrator: { stage: "beta", about: "The kind StorageVersionMigration." },
  ContainerStopSignals: { stage: "alpha", about: "`lifecycle.stopSignal` of containers." },
  GenericWorkload: { stage: "alpha", about: "`workloadRef` of Pods." },
  RestartAllContainersOnContainerExits: {
    stage: "alpha",
    about: "The action `RestartAllContainers` of `restartPolicyRules`, and such rules of sidecar containers.",
  },
  HPAConfigurableTolerance: { stage: "beta", about: "`tolerance` in the `behavior` of autoscalers." },
  HPAScaleToZero: { stage: "alpha", about: "`minReplicas` 0 of autoscalers." },
  NodeDeclaredFeatures: { stage: "alpha", about: "`status.declaredFeatures` of new Nodes." },
  SELinuxMount: { stage: "beta", about: "The `seLinuxChangePolicy` MountOption of Pods." },
  DRAAdminAccess: { stage: "beta", about: "`adminAccess` of requests for devices, and of their results." },
  DRAConsumableCapacity: {
    stage: "alpha",
    about: "Devices that several claims share: capacities in slices, in requests of claims and in their status.",
  },
  DRADeviceBindingConditions: {
    stage: "alpha",
    about: "`bindsToNode`, `bindingConditions` and `bindingFailureConditions` of devices and results.",
  },
  DRADeviceTaints: { stage: "alpha", about: "`taints` of devices, `tolerations` of requests for them." },
  DRAExtendedResource: { stage: "alpha", about: "`extendedResourceName` of device classes." },
  DRAPartitionableDevices: {
    stage: "alpha",
    about: "Counters that devices share, and devices of one slice that are on different nodes.",
  },
  DRAPrioritizedList: { stage: "beta", about: "`firstAvailable` of requests for devices." },
  DRAResourceClaimDeviceStatus: { stage: "beta", about: "`devices` in the status of resource claims." },
} as const;

/** The names of all feature gates. */
export const GATES = Object.keys(GATE_FACTS) as readonly Gate[];

/** The name of a feature gate. */
export type Gate = keyof typeof GATE_FACTS;

/** Which gates are on. */
export type Gates = Readonly<Record<Gate, boolean>>;

const OFF: Record<Dialect["name"], readonly Gate[]> = {
  neutral: [
    "AllowUnsafeMalformedObjectDeletion",
    "CrossNamespaceVolumeDataSource",
    "VolumeAttributesClass",
    "MutablePVNodeAffinity",
    "MutatingAdmissionPolicy",
    "ClusterTrustBundleProjection",
    "ContainerStopSignals",
    "GenericWorkload",
    "HPAScaleToZero",
    "RestartAllContainersOnContainerExits",
    "NodeDeclaredFeatures",
    "DRAConsumableCapacity",
    "DRADeviceBindingConditions",
    "DRADeviceTaints",
    "DRAExtendedResource",
    "DRAPartitionableDevices",
  ],
  kubernetes: [
    "AllowUnsafeMalformedObjectDeletion",
    "CrossNamespaceVolumeDataSource",
    "MutablePVNodeAffinity",
    "MutatingAdmissionPolicy",
    "ClusterTrustBundle",
    "ClusterTrustBundleProjection",
    "PodCertificateRequest",
    "CoordinatedLeaderElection",
    "StorageVersionMigrator",
    "ContainerStopSignals",
    "GenericWorkload",
    "HPAScaleToZero",
    "RestartAllContainersOnContainerExits",
    "NodeDeclaredFeatures",
    "SELinuxMount",
    "DRAConsumableCapacity",
    "DRADeviceBindingConditions",
    "DRADeviceTaints",
    "DRAExtendedResource",
    "DRAPartitionableDevices",
  ],
};

/** The gates of a dialect, with some of them set: defaults are those of the documents, or of 1.35 (DEC-38). */
export function gatesOf(dialect: Dialect, set: Readonly<Partial<Record<Gate, boolean>>> = {}): Gates {
  const gates = {} as Record<Gate, boolean>;
  for (const gate of GATES) gates[gate] = set[gate] ?? !OFF[dialect.name].includes(gate);
  return gates;
}
