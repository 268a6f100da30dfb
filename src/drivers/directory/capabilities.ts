/**
 * The name and the capabilities of a driver, and the information about its node.
 *
 * @module
 */
import { access, constants } from "node:fs/promises";
import type { Implementation } from "../../csi/calls.ts";
import type { Controller, Identity, Node } from "../../csi/generated/csi_pb.js";
import {
  CONTROLLER_CAPABILITY,
  type ControllerCapability,
  NODE_CAPABILITY,
  type NodeCapability,
  PLUGIN_SERVICE,
  VOLUME_EXPANSION,
} from "../../csi/terms.ts";
import type { DriverContext } from "./driver-context.ts";
import type { Feature, FullSettings } from "./settings.ts";

/** The features that a capability needs. */
const CONTROLLER: Readonly<Partial<Record<ControllerCapability, readonly Feature[]>>> = {
  CREATE_DELETE_VOLUME: [],
  PUBLISH_UNPUBLISH_VOLUME: ["attach"],
  PUBLISH_READONLY: ["attach"],
  LIST_VOLUMES: ["list"],
  LIST_VOLUMES_PUBLISHED_NODES: ["list", "attach"],
  GET_CAPACITY: ["capacity"],
  CREATE_DELETE_SNAPSHOT: ["snapshots"],
  LIST_SNAPSHOTS: ["snapshots"],
  GET_SNAPSHOT: ["snapshots"],
  CLONE_VOLUME: ["clone"],
  EXPAND_VOLUME: ["expand"],
  VOLUME_CONDITION: ["condition", "list"],
  GET_VOLUME: ["get-volume"],
  SINGLE_NODE_MULTI_WRITER: ["multi-writer"],
  MODIFY_VOLUME: ["modify"],
};

const NODE: Readonly<Partial<Record<NodeCapability, readonly Feature[]>>> = {
  STAGE_UNSTAGE_VOLUME: ["stage"],
  GET_VOLUME_STATS: ["stats"],
  EXPAND_VOLUME: ["node-expand"],
  VOLUME_CONDITION: ["condition", "stats"],
  SINGLE_NODE_MULTI_WRITER: ["multi-writer"],
  VOLUME_MOUNT_GROUP: ["mount-group"],
};

function capabilitiesOf<N extends string>(
  table: Readonly<Partial<Record<N, readonly Feature[]>>>,
  { features }: FullSettings,
): N[] {
  const rows = Object.entries(table) as [N, readonly Feature[]][];
  return rows.flatMap(([name, needed]) => (needed.every((feature) => features.has(feature)) ? [name] : []));
}

/** The identity service. */
export function identity({ settings }: DriverContext): Implementation<typeof Identity> {
  const { name, version, backing, topology, features, dir } = settings;
  const services = [
    PLUGIN_SERVICE.CONTROLLER_SERVICE,
    ...(Object.keys(topology).length > 0 ? [PLUGIN_SERVICE.VOLUME_ACCESSIBILITY_CONSTRAINTS] : []),
  ];
  const expansion = features.has("offline-expand") ? VOLUME_EXPANSION.OFFLINE : VOLUME_EXPANSION.ONLINE;
  return {
    getPluginInfo: async () => ({ name, vendorVersion: version, manifest: { backing } }),
    getPluginCapabilities: async () => ({
      capabilities: [
        ...services.map((type) => ({ type: { case: "service" as const, value: { type } } })),
        ...(features.has("expand") ? [{ type: { case: "volumeExpansion" as const, value: { type: expansion } } }] : []),
      ],
    }),
    async probe() {
      await access(dir, constants.W_OK);
      return { ready: true };
    },
  };
}

/** ControllerGetCapabilities. */
export const controllerCapabilities = ({ settings }: DriverContext): Implementation<typeof Controller> => ({
  controllerGetCapabilities: async () => ({
    capabilities: capabilitiesOf(CONTROLLER, settings).map((name) => ({
      type: { case: "rpc", value: { type: CONTROLLER_CAPABILITY[name] } },
    })),
  }),
});

/** NodeGetCapabilities and NodeGetInfo. */
export const nodeInfo = ({ settings }: DriverContext): Implementation<typeof Node> => ({
  nodeGetCapabilities: async () => ({
    capabilities: capabilitiesOf(NODE, settings).map((name) => ({
      type: { case: "rpc", value: { type: NODE_CAPABILITY[name] } },
    })),
  }),
  async nodeGetInfo() {
    const { nodeId, maxVolumes, topology } = settings;
    const accessibleTopology =
      Object.keys(topology).length > 0 ? { accessibleTopology: { segments: { ...topology } } } : {};
    return { nodeId, maxVolumesPerNode: BigInt(maxVolumes), ...accessibleTopology };
  },
});
