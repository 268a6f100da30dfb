/**
 * The numbers of the enumerations of the protocol under the names that its definitions give them. They are those of the
 * generated code, which need not be loaded for them.
 *
 * @module
 */
import type {
  ControllerServiceCapability_RPC_Type,
  GroupControllerServiceCapability_RPC_Type,
  NodeServiceCapability_RPC_Type,
  PluginCapability_Service_Type,
  PluginCapability_VolumeExpansion_Type,
  VolumeCapability_AccessMode_Mode,
  VolumeUsage_Unit,
} from "./generated/csi_pb.js";

/** Every name of an enumeration with its number: one that is missing or has another number is an error of types. */
type Numbers<E> = { readonly [N in keyof E]: E[N] };

/** How many nodes and users may read and write a volume. */
export const ACCESS_MODE = {
  UNKNOWN: 0,
  SINGLE_NODE_WRITER: 1,
  SINGLE_NODE_READER_ONLY: 2,
  MULTI_NODE_READER_ONLY: 3,
  MULTI_NODE_SINGLE_WRITER: 4,
  MULTI_NODE_MULTI_WRITER: 5,
  SINGLE_NODE_SINGLE_WRITER: 6,
  SINGLE_NODE_MULTI_WRITER: 7,
} as const satisfies Numbers<typeof VolumeCapability_AccessMode_Mode>;

/** Which services a plugin has. */
export const PLUGIN_SERVICE = {
  UNKNOWN: 0,
  CONTROLLER_SERVICE: 1,
  VOLUME_ACCESSIBILITY_CONSTRAINTS: 2,
  GROUP_CONTROLLER_SERVICE: 3,
  SNAPSHOT_METADATA_SERVICE: 4,
} as const satisfies Numbers<typeof PluginCapability_Service_Type>;

/** Whether volumes grow while they are in use, or only while they are not. */
export const VOLUME_EXPANSION = {
  UNKNOWN: 0,
  ONLINE: 1,
  OFFLINE: 2,
} as const satisfies Numbers<typeof PluginCapability_VolumeExpansion_Type>;

/** What a controller can do. */
export const CONTROLLER_CAPABILITY = {
  UNKNOWN: 0,
  CREATE_DELETE_VOLUME: 1,
  PUBLISH_UNPUBLISH_VOLUME: 2,
  LIST_VOLUMES: 3,
  GET_CAPACITY: 4,
  CREATE_DELETE_SNAPSHOT: 5,
  LIST_SNAPSHOTS: 6,
  CLONE_VOLUME: 7,
  PUBLISH_READONLY: 8,
  EXPAND_VOLUME: 9,
  LIST_VOLUMES_PUBLISHED_NODES: 10,
  VOLUME_CONDITION: 11,
  GET_VOLUME: 12,
  SINGLE_NODE_MULTI_WRITER: 13,
  MODIFY_VOLUME: 14,
  GET_SNAPSHOT: 15,
} as const satisfies Numbers<typeof ControllerServiceCapability_RPC_Type>;

/** What a controller of groups can do. */
export const GROUP_CONTROLLER_CAPABILITY = {
  UNKNOWN: 0,
  CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT: 1,
} as const satisfies Numbers<typeof GroupControllerServiceCapability_RPC_Type>;

/** What a driver can do on a node. */
export const NODE_CAPABILITY = {
  UNKNOWN: 0,
  STAGE_UNSTAGE_VOLUME: 1,
  GET_VOLUME_STATS: 2,
  EXPAND_VOLUME: 3,
  VOLUME_CONDITION: 4,
  SINGLE_NODE_MULTI_WRITER: 5,
  VOLUME_MOUNT_GROUP: 6,
} as const satisfies Numbers<typeof NodeServiceCapability_RPC_Type>;

/** What usage of a volume is counted in. */
export const USAGE_UNIT = { UNKNOWN: 0, BYTES: 1, INODES: 2 } as const satisfies Numbers<typeof VolumeUsage_Unit>;

/** What a driver says that it can do as a whole; the ways to grow stand beside its services. */
export type PluginCapability =
  | Exclude<keyof typeof PLUGIN_SERVICE, "UNKNOWN">
  | `VOLUME_EXPANSION_${Exclude<keyof typeof VOLUME_EXPANSION, "UNKNOWN">}`;

/** The name of something that a controller can do. */
export type ControllerCapability = Exclude<keyof typeof CONTROLLER_CAPABILITY, "UNKNOWN">;

/** The name of something that a controller of groups can do. */
export type GroupControllerCapability = Exclude<keyof typeof GROUP_CONTROLLER_CAPABILITY, "UNKNOWN">;

/** The name of something that a driver can do on a node. */
export type NodeCapability = Exclude<keyof typeof NODE_CAPABILITY, "UNKNOWN">;
