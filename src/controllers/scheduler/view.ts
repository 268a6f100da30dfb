import type {
  CSIDriver,
  CSIStorageCapacity,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  VolumeAttachment,
} from "../../client/kinds/index.ts";
import type { PodInfo } from "./pod-info.ts";
import type { SchedulerNames } from "./names.ts";
import type { NodeView } from "./node-state.ts";
import type { VolumeRequest } from "./reachable-volumes.ts";

/** Objects by name. */
export interface StateSources {
  /** @param key `namespace/name` */
  claim(key: string): PersistentVolumeClaim | undefined;
  volume(name: string): PersistentVolume | undefined;
  storageClass(name: string): StorageClass | undefined;
  driver(name: string): CSIDriver | undefined;
  capacities(className: string): readonly CSIStorageCapacity[];
  /** The volumes whose claimRef names a claim. */
  volumesNaming(claim: string): readonly PersistentVolume[];
  attachmentsOn(node: string): readonly VolumeAttachment[];
}

/** A Pod on a node, or about to be bound to it. */
export interface PlacedPod {
  readonly info: PodInfo;
  readonly node: string;
}

/** The state of a cluster as filters see it. */
export interface View extends Omit<StateSources, "attachmentsOn"> {
  readonly names: SchedulerNames;
  readonly nodes: readonly NodeView[];
  node(name: string): NodeView | undefined;
  readonly placed: readonly PlacedPod[];
  /** Those of them with required anti-affinity. */
  readonly withAntiAffinity: readonly PlacedPod[];
  /** The Pods on nodes that use a claim. */
  usersOf(claim: string): readonly PlacedPod[];
  /** The smallest available volume that fits a claim and that a node can reach, without those in `taken`. */
  smallest(node: Node, request: VolumeRequest, taken: ReadonlySet<string>): PersistentVolume | undefined;
  /** The distinct volumes of each driver on a node. */
  volumesOn(node: NodeView): ReadonlyMap<string, ReadonlySet<string>>;
}
