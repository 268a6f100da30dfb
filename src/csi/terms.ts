/**
 * The numbers of the enumerations of the protocol by their names. They repeat the generated code, which need not be loaded
 * for them.
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

/** All names of an enumeration with their numbers: a missing name or another number is a type error. */
type Numbers<E> = { readonly [N in keyof E]: E[N] };

/** The access modes: how many nodes and users may read and write a volume. */
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

/** The services that a plugin may have. */
export const PLUGIN_SERVICE = {
  UNKNOWN: 0,
  CONTROLLER_SERVICE: 1,
  VOLUME_ACCESSIBILITY_CONSTRAINTS: 2,
  GROUP_CONTROLLER_SERVICE: 3,
  SNAPSHOT_METADATA_SERVICE: 4,
} as const satisfies Numbers<typeof PluginCapability_Service_Type>;

/** Whether volumes can be expanded while they are in use, or only while they are not. */
export const VOLUME_EXPANSION = {
  UNKNOWN: 0,
  ONLINE: 1,
  OFFLINE: 2,
} as const satisfies Numbers<typeof PluginCapability_VolumeExpansion_Type>;

/** The capabilities of a controller. */
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

/** The capabilities of a group controller. */
export const GROUP_CONTROLLER_CAPABILITY = {
  UNKNOWN: 0,
  CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT: 1,
} as const satisfies Numbers<typeof GroupControllerServiceCapability_RPC_Type>;

/** The capabilities of a driver on a node. */
export const NODE_CAPABILITY = {
  UNKNOWN: 0,
  STAGE_UNSTAGE_VOLUME: 1,
  GET_VOLUME_STATS: 2,
  EXPAND_VOLUME: 3,
  VOLUME_CONDITION: 4,
  SINGLE_NODE_MULTI_WRITER: 5,
  VOLUME_MOUNT_GROUP: 6,
} as const satisfies Numbers<typeof NodeServiceCapability_RPC_Type>;

/** The units of a volume's usage. */
export const USAGE_UNIT = { UNKNOWN: 0, BYTES: 1, INODES: 2 } as const satisfies Numbers<typeof VolumeUsage_Unit>;

/** The name of a capability of the whole driver. */
export type PluginCapability =
  | Exclude<keyof typeof PLUGIN_SERVICE, "UNKNOWN">
  | `VOLUME_EXPANSION_${Exclude<keyof typeof VOLUME_EXPANSION, "UNKNOWN">}`;

/** The name of a capability of a controller. */
export type ControllerCapability = Exclude<keyof typeof CONTROLLER_CAPABILITY, "UNKNOWN">;

/** The name of a capability of a group controller. */
export type GroupControllerCapability = Exclude<keyof typeof GROUP_CONTROLLER_CAPABILITY, "UNKNOWN">;

/** The name of a capability of a driver on a node. */
export type NodeCapability = Exclude<keyof typeof NODE_CAPABILITY, "UNKNOWN">;
