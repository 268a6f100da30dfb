/**
 * The members of a Node (SUP-6): what is asked of it, and how it is, as its agent reports it.
 *
 * @module
 */
import {
  type Static,
  always,
  atomicList,
  bool,
  int32,
  int64,
  keyedList,
  map,
  nullable,
  optional,
  pointer,
  quantity,
  required,
  setList,
  struct,
  text,
  time,
} from "../../../meta/types.ts";
import type { ApiObject } from "../../../schema/definition.ts";

/** The schema of a taint. */
export const Taint = struct("Keeps programs away that do not tolerate it.", {
  key: required(text("Key of the taint.")),
  value: optional(text("Value of the taint.")),
  effect: required(text("NoSchedule, PreferNoSchedule or NoExecute.")),
  timeAdded: pointer(time("When the taint was added.")),
});

const ConfigSource = struct("Where the agent was to take its configuration from; no longer used.", {
  configMap: pointer(
    struct("A ConfigMap with the configuration.", {
      namespace: required(text("Namespace of the ConfigMap.")),
      name: required(text("Name of the ConfigMap.")),
      uid: optional(text("UID of the ConfigMap.")),
      resourceVersion: optional(text("Version of the ConfigMap.")),
      kubeletConfigKey: required(text("The key of the configuration.")),
    }),
  ),
});

/** The schema of a Node's spec. */
export const NodeSpec = struct("What is asked of the node.", {
  podCIDR: optional(text("Addresses for programs on the node.")),
  podCIDRs: optional(
    setList(text(), "The same, one for each family of addresses.", { "x-kubernetes-patch-strategy": "merge" }),
  ),
  providerID: optional(text("How the provider of the machine calls it.")),
  unschedulable: optional(bool("Whether new programs are kept away.")),
  taints: optional(atomicList(Taint, "What keeps programs away.")),
  configSource: pointer(ConfigSource),
  externalID: optional(text("No longer used.")),
});

const Condition = struct("What is known of one side of the node.", {
  type: required(text("What it is about, such as Ready.")),
  status: required(text("True, False or Unknown.")),
  lastHeartbeatTime: nullable(time("When it was last reported.")),
  lastTransitionTime: nullable(time("When the status last changed.")),
  reason: optional(text("Why, for programs.")),
  message: optional(text("Why, for people.")),
});

const Address = struct("One address of the node.", {
  type: required(text("Hostname, InternalIP, ExternalIP and the like.")),
  address: required(text("The address.")),
});

const NodeInfo = struct("What runs on the node.", {
  machineID: required(text("ID of the machine.")),
  systemUUID: required(text("UUID of the machine.")),
  bootID: required(text("ID of this boot.")),
  kernelVersion: required(text("Version of the kernel.")),
  osImage: required(text("Name of the operating system's image.")),
  containerRuntimeVersion: required(text("Name and version of the container runtime.")),
  kubeletVersion: required(text("Version of the node agent.")),
  kubeProxyVersion: required(text("No longer filled.")),
  operatingSystem: required(text("Name of the operating system.")),
  architecture: required(text("Architecture of the processor.")),
  swap: pointer(struct("Memory that is on a disk.", { capacity: pointer(int64("Its size in bytes.")) })),
});

const Image = struct("An image on the node.", {
  names: nullable(atomicList(text(), "Names of the image.")),
  sizeBytes: optional(int64("Its size in bytes.")),
});

const AttachedVolume = struct("A volume that is attached.", {
  name: required(text("Name of the volume.")),
  devicePath: required(text("Where it is found.")),
});

const RuntimeHandler = struct("A way to run containers.", {
  name: always(text("Its name, empty for the default one.")),
  features: pointer(
    struct("What it can do.", {
      recursiveReadOnlyMounts: pointer(bool("Whether mounts are read-only with all below them.")),
      userNamespaces: pointer(bool("Whether users of a Pod may be others than those of the node.")),
    }),
  ),
});

/** The schema of a Node's status. */
export const NodeStatus = struct("How the node is, as its agent reports it.", {
  capacity: optional(map(quantity(), "What the node has.")),
  allocatable: optional(map(quantity(), "What programs can have of it.")),
  phase: optional(text("No longer filled.")),
  conditions: optional(keyedList(Condition, ["type"], "What is known of the node.")),
  addresses: optional(keyedList(Address, ["type"], "Where the node is found.")),
  daemonEndpoints: always(
    struct("Where the agent listens.", {
      kubeletEndpoint: always(struct("The endpoint of the agent.", { Port: required(int32("Its port.")) })),
    }),
  ),
  nodeInfo: always(NodeInfo),
  images: optional(atomicList(Image, "Images that are there.")),
  volumesInUse: optional(atomicList(text(), "Volumes that are mounted or being mounted.")),
  volumesAttached: optional(atomicList(AttachedVolume, "Volumes that are attached.")),
  config: pointer(
    struct("Which configuration the agent had; no longer used.", {
      assigned: pointer(ConfigSource),
      active: pointer(ConfigSource),
      lastKnownGood: pointer(ConfigSource),
      error: optional(text("What was wrong with it.")),
    }),
  ),
  runtimeHandlers: optional(atomicList(RuntimeHandler, "The ways to run containers.")),
  features: pointer(
    struct("What the runtime can do.", {
      supplementalGroupsPolicy: pointer(bool("Whether a Pod can say what becomes of the groups of its image.")),
    }),
  ),
  declaredFeatures: optional(atomicList(text(), "Features that the agent has, in order.")),
});

/** A taint as it stands in an object. */
export type TaintValue = Partial<Static<typeof Taint>>;

/** A Node in wire form. */
export interface Node extends ApiObject {
  spec: Static<typeof NodeSpec>;
  status: Static<typeof NodeStatus>;
}
