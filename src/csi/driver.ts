/**
 * A storage driver for its callers: its services over its socket, its name and its capabilities.
 *
 * Nothing is loaded and no connection is made before the first call. After a restart of the driver a call connects again,
 * and name and capabilities are requested again.
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

/** The name and the version of a driver. */
export interface DriverInfo {
  readonly name: string;
  readonly version: string;
}

/** A driver; every call rejects with DriverError. */
export interface Driver {
  readonly endpoint: string;
  readonly identity: Calls<typeof Identity>;
  readonly controller: Calls<typeof Controller>;
  readonly groupController: Calls<typeof GroupController>;
  readonly node: Calls<typeof Node>;
  /** The name and the version. They and the capabilities are requested once for each connection. */
  info(options?: CallOptions): Promise<DriverInfo>;
  pluginCapabilities(options?: CallOptions): Promise<ReadonlySet<PluginCapability>>;
  /** The capabilities of the controller; none where the driver has no such service, as for the next two. */
  controllerCapabilities(options?: CallOptions): Promise<ReadonlySet<ControllerCapability>>;
  groupControllerCapabilities(options?: CallOptions): Promise<ReadonlySet<GroupControllerCapability>>;
  nodeCapabilities(options?: CallOptions): Promise<ReadonlySet<NodeCapability>>;
  /** Ends the connection. Running calls and all later ones fail with `Canceled`. */
  close(): Promise<void>;
}

/** A driver at the path of a unix socket, also written as `unix:///path`. Throws RangeError for another endpoint. */
export function openDriver(endpoint: string, options: ChannelOptions): Driver {
  const known = new Map<string, unknown>();
  let connections = 0;
  const channel = new Channel(endpoint, options, () => {
    connections++;
    known.clear();
  });
  const identity = channel.calls(({ csi }) => csi.Identity);
  const controller = channel.calls(({ csi }) => csi.Controller);
  const groupController = channel.calls(({ csi }) => csi.GroupController);
  const node = channel.calls(({ csi }) => csi.Node);

  /** Calls once for each connection; the response of a connection that was lost meanwhile is not kept. */
  const once = async <T>(name: string, request: () => Promise<T>): Promise<T> => {
    if (known.has(name)) return known.get(name) as T;
    const connection = connections;
    const response = await request();
    if (connection === connections) known.set(name, response);
    return response;
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
        const services = namesOf(PLUGIN_SERVICE, capabilities, "service");
        const expansions = namesOf(VOLUME_EXPANSION, capabilities, "volumeExpansion");
        return new Set([...services, ...expansions.map((name) => `VOLUME_EXPANSION_${name}` as const)]);
      }),
    controllerCapabilities: (call) =>
      once("controller", () => rpcNames(CONTROLLER_CAPABILITY, controller.controllerGetCapabilities({}, call))),
    groupControllerCapabilities: (call) =>
      once("group", () =>
        rpcNames(GROUP_CONTROLLER_CAPABILITY, groupController.groupControllerGetCapabilities({}, call)),
      ),
    nodeCapabilities: (call) => once("node", () => rpcNames(NODE_CAPABILITY, node.nodeGetCapabilities({}, call))),
    close: () => channel.close(),
  };
}

interface Capability {
  readonly type: { readonly case: string; readonly value: { readonly type: number } } | { readonly case: undefined };
}

type Numbers<N extends string> = { readonly [K in N]: number };

/** The names of the capabilities of one kind, without those that are unknown here. */
function namesOf<N extends string>(
  numbers: Numbers<N>,
  capabilities: readonly Capability[],
  kind: string,
): Exclude<N, "UNKNOWN">[] {
  const names = Object.entries(numbers) as [N, number][];
  return capabilities.flatMap(({ type }) => {
    if (type.case !== kind) return [];
    const found = names.find(([, number]) => number !== 0 && number === type.value.type);
    return found ? [found[0] as Exclude<N, "UNKNOWN">] : [];
  });
}

/** The capabilities of a service; none where the driver does not have it. */
async function rpcNames<N extends string>(
  numbers: Numbers<N>,
  response: Promise<{ capabilities: Capability[] }>,
): Promise<Set<Exclude<N, "UNKNOWN">>> {
  try {
    return new Set(namesOf(numbers, (await response).capabilities, "rpc"));
  } catch (error) {
    if (error instanceof DriverError && error.code === "Unimplemented") return new Set();
    throw error;
  }
}
