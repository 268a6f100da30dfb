/**
 * A storage driver as its callers see it: its services over its socket, and what it says of itself.
 *
 * Nothing is loaded and no connection is made before the first call. The driver may go and come back: a call finds it
 * again, and what it has said of itself is asked anew.
 *
 * @module
 */
import type { Calls, CallOptions } from "./calls.ts";
import { Channel, type ChannelOptions } from "./channel.ts";
import { DriverError } from "./driver-error.ts";
import type { Controller, GroupController, Identity, Node } from "./generated/csi_pb.js";
import {
  CONTROLLER_CAPABILITY,
  type ControllerCapability,
  GROUP_CONTROLLER_CAPABILITY,
  type GroupControllerCapability,
  NODE_CAPABILITY,
  type NodeCapability,
  PLUGIN_SERVICE,
  type PluginCapability,
  VOLUME_EXPANSION,
} from "./terms.ts";

/** What a driver is called. */
export interface DriverInfo {
  readonly name: string;
  readonly version: string;
}

/** A driver; every call rejects with DriverError. */
export interface Driver {
  /** As it was given. */
  readonly endpoint: string;
  readonly identity: Calls<typeof Identity>;
  readonly controller: Calls<typeof Controller>;
  readonly groupController: Calls<typeof GroupController>;
  readonly node: Calls<typeof Node>;
  /** Its name and version. These and the capabilities are asked once for each connection. */
  info(options?: CallOptions): Promise<DriverInfo>;
  /** What it can do as a whole. */
  pluginCapabilities(options?: CallOptions): Promise<ReadonlySet<PluginCapability>>;
  /** What its controller can do; nothing where there is none. */
  controllerCapabilities(options?: CallOptions): Promise<ReadonlySet<ControllerCapability>>;
  /** What its controller of groups can do; nothing where there is none. */
  groupControllerCapabilities(options?: CallOptions): Promise<ReadonlySet<GroupControllerCapability>>;
  /** What it can do on its node; nothing where it serves none. */
  nodeCapabilities(options?: CallOptions): Promise<ReadonlySet<NodeCapability>>;
  /** Ends the connection; calls under way fail with `Canceled`, and so does every later one. */
  close(): Promise<void>;
}

/** A driver at the path of a unix socket, also written as `unix:///path`. Throws RangeError for another endpoint. */
export function openDriver(endpoint: string, options: ChannelOptions): Driver {
  const said = new Map<string, unknown>();
  let connections = 0;
  const lost = (): void => {
    connections++;
    said.clear();
  };
  const channel = new Channel(endpoint, options, lost);
  const identity = channel.calls(({ csi }) => csi.Identity);
  const controller = channel.calls(({ csi }) => csi.Controller);
  const groupController = channel.calls(({ csi }) => csi.GroupController);
  const node = channel.calls(({ csi }) => csi.Node);

  /** Asks once for each connection; an answer of one that was lost meanwhile is not kept. */
  const once = async <T>(name: string, ask: () => Promise<T>): Promise<T> => {
    if (said.has(name)) return said.get(name) as T;
    const connection = connections;
    const answer = await ask();
    if (connection === connections) said.set(name, answer);
    return answer;
  };

  return {
    endpoint,
    identity,
    controller,
    groupController,
    node,
    info: (call) =>
      once("info", async () => {
        const { name, vendorVersion } = await identity.getPluginInfo({}, call);
        return { name, version: vendorVersion };
      }),
    pluginCapabilities: (call) =>
      once("plugin", async () => {
        const { capabilities } = await identity.getPluginCapabilities({}, call);
        const services = namesOf<keyof typeof PLUGIN_SERVICE>(PLUGIN_SERVICE, capabilities, "service");
        const ways = namesOf<keyof typeof VOLUME_EXPANSION>(VOLUME_EXPANSION, capabilities, "volumeExpansion");
        return new Set<PluginCapability>([...services, ...ways.map((way) => `VOLUME_EXPANSION_${way}` as const)]);
      }),
    controllerCapabilities: (call) =>
      once("controller", async () => {
        const { capabilities } = await orNone(controller.controllerGetCapabilities({}, call));
        return new Set(namesOf<keyof typeof CONTROLLER_CAPABILITY>(CONTROLLER_CAPABILITY, capabilities, "rpc"));
      }),
    groupControllerCapabilities: (call) =>
      once("group", async () => {
        const { capabilities } = await orNone(groupController.groupControllerGetCapabilities({}, call));
        return new Set(
          namesOf<keyof typeof GROUP_CONTROLLER_CAPABILITY>(GROUP_CONTROLLER_CAPABILITY, capabilities, "rpc"),
        );
      }),
    nodeCapabilities: (call) =>
      once("node", async () => {
        const { capabilities } = await orNone(node.nodeGetCapabilities({}, call));
        return new Set(namesOf<keyof typeof NODE_CAPABILITY>(NODE_CAPABILITY, capabilities, "rpc"));
      }),
    close: () => channel.close(),
  };
}

interface Capability {
  readonly type: { readonly case: string; readonly value: { readonly type: number } } | { readonly case: undefined };
}

/** The names of the capabilities of one sort; those that are not known here are left out. */
function namesOf<N extends string>(
  numbers: Readonly<Record<N, number>>,
  capabilities: readonly Capability[],
  sort: string,
): Exclude<N, "UNKNOWN">[] {
  const names = Object.entries(numbers) as [N, number][];
  return capabilities.flatMap(({ type }) => {
    if (type.case !== sort) return [];
    const found = names.find(([, number]) => number !== 0 && number === type.value.type);
    return found ? [found[0] as Exclude<N, "UNKNOWN">] : [];
  });
}

/** A service that a driver does not have can do nothing. */
const orNone = async <C>(asked: Promise<{ capabilities: C[] }>): Promise<{ capabilities: C[] }> => {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof DriverError && error.code === "Unimplemented") return { capabilities: [] };
    throw error;
  }
};
