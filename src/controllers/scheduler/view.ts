/**
 * What filters see of a cluster.
 *
 * @module
 */
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

/** The objects that are looked up by their names. */
export interface StateSources {
  /** @param key `namespace/name` */
  claim(key: string): PersistentVolumeClaim | undefined;
  volume(name: string): PersistentVolume | undefined;
  storageClass(name: string): StorageClass | undefined;
  driver(name: string): CSIDriver | undefined;
  /** The capacities of a class, in all namespaces. */
  capacities(className: string): readonly CSIStorageCapacity[];
  /** The volumes whose reference names a claim. */
  volumesNaming(claim: string): readonly PersistentVolume[];
  attachmentsOn(node: string): readonly VolumeAttachment[];
}

/** A Pod on a node, or about to be there. */
export interface PlacedPod {
  readonly info: PodInfo;
  readonly node: string;
}

/** What filters see. */
export interface View extends Omit<StateSources, "attachmentsOn"> {
  readonly names: SchedulerNames;
  /** The nodes that there are. */
  readonly nodes: readonly NodeView[];
  node(name: string): NodeView | undefined;
  /** All Pods on nodes. */
  readonly placed: readonly PlacedPod[];
  /** Those of them that do not want some others near. */
  readonly withAntiAffinity: readonly PlacedPod[];
  /** The Pods on nodes that use a claim. */
  usersOf(claim: string): readonly PlacedPod[];
  /** The smallest volume that nobody has, that fits a claim and that a node can reach, but for some. */
  smallest(node: Node, request: VolumeRequest, taken: ReadonlySet<string>): PersistentVolume | undefined;
  /** How many distinct volumes of each driver a node has, by what they are known by. */
  volumesOn(node: NodeView): ReadonlyMap<string, ReadonlySet<string>>;
}
