/**
 * The schema of Node (SUP-6).
 *
 * @module
 */
import * as t from "../../../meta/types.ts";
import type { ObjectOf } from "../../../schema/define-resource.ts";
import { objectSchema } from "../../../schema/object-schema.ts";
import { reportedCondition } from "../../rules/condition.ts";

/** The schema of a taint. */
export const Taint = t.struct("Keeps programs away that do not tolerate it.", {
  key: t.required(t.text("Key of the taint.")),
  value: t.optional(t.text("Value of the taint.")),
  effect: t.required(t.text("NoSchedule, PreferNoSchedule or NoExecute.")),
  timeAdded: t.pointer(t.time("When the taint was added.")),
});

const ConfigSource = t.struct("The source of the configuration of the agent; no longer used.", {
  configMap: t.pointer(
    t.struct("A ConfigMap with the configuration.", {
      namespace: t.required(t.text("Namespace of the ConfigMap.")),
      name: t.required(t.text("Name of the ConfigMap.")),
      uid: t.optional(t.text("UID of the ConfigMap.")),
      resourceVersion: t.optional(t.text("Version of the ConfigMap.")),
      kubeletConfigKey: t.required(t.text("The key of the configuration.")),
    }),
  ),
});

/** The schema of a Node's spec. */
export const NodeSpec = t.struct("The desired state of the node.", {
  podCIDR: t.optional(t.text("Addresses for programs on the node.")),
  podCIDRs: t.optional(
    t.setList(t.text(), "The same, one for each family of addresses.", { "x-kubernetes-patch-strategy": "merge" }),
  ),
  providerID: t.optional(t.text("How the provider of the machine calls it.")),
  unschedulable: t.optional(t.bool("Whether new programs are kept away.")),
  taints: t.optional(t.atomicList(Taint, "The taints of the node.")),
  configSource: t.pointer(ConfigSource),
  externalID: t.optional(t.text("No longer used.")),
});

const Condition = reportedCondition("A condition of the node.", "The type of the condition, such as Ready.", {
  lastHeartbeatTime: t.nullable(t.time("When it was last reported.")),
});

const Address = t.struct("One address of the node.", {
  type: t.required(t.text("Hostname, InternalIP, ExternalIP and the like.")),
  address: t.required(t.text("The address.")),
});

const NodeInfo = t.struct("The system of the node.", {
  machineID: t.required(t.text("ID of the machine.")),
  systemUUID: t.required(t.text("UUID of the machine.")),
  bootID: t.required(t.text("ID of this boot.")),
  kernelVersion: t.required(t.text("Version of the kernel.")),
  osImage: t.required(t.text("Name of the operating system's image.")),
  containerRuntimeVersion: t.required(t.text("Name and version of the container runtime.")),
  kubeletVersion: t.required(t.text("Version of the node agent.")),
  kubeProxyVersion: t.required(t.text("No longer filled.")),
  operatingSystem: t.required(t.text("Name of the operating system.")),
  architecture: t.required(t.text("Architecture of the processor.")),
  swap: t.pointer(t.struct("Memory that is on a disk.", { capacity: t.pointer(t.int64("Its size in bytes.")) })),
});

const Image = t.struct("An image on the node.", {
  names: t.nullable(t.atomicList(t.text(), "Names of the image.")),
  sizeBytes: t.optional(t.int64("Its size in bytes.")),
});

const AttachedVolume = t.struct("A volume that is attached.", {
  name: t.required(t.text("Name of the volume.")),
  devicePath: t.required(t.text("The path of the device.")),
});

const RuntimeHandler = t.struct("A way to run containers.", {
  name: t.always(t.text("Its name, empty for the default one.")),
  features: t.pointer(
    t.struct("Its features.", {
      recursiveReadOnlyMounts: t.pointer(t.bool("Whether mounts are read-only with all below them.")),
      userNamespaces: t.pointer(t.bool("Whether users of a Pod may be others than those of the node.")),
    }),
  ),
});

/** The schema of a Node's status. */
export const NodeStatus = t.struct("How the node is, as its agent reports it.", {
  capacity: t.optional(t.map(t.quantity(), "The resources of the node.")),
  allocatable: t.optional(t.map(t.quantity(), "The resources that Pods can request.")),
  phase: t.optional(t.text("No longer filled.")),
  conditions: t.optional(t.keyedList(Condition, ["type"], "The conditions of the node.")),
  addresses: t.optional(t.keyedList(Address, ["type"], "The addresses of the node.")),
  daemonEndpoints: t.always(
    t.struct("The port of the agent.", {
      kubeletEndpoint: t.always(t.struct("The endpoint of the agent.", { Port: t.required(t.int32("Its port.")) })),
    }),
  ),
  nodeInfo: t.always(NodeInfo),
  images: t.optional(t.atomicList(Image, "Images that are there.")),
  volumesInUse: t.optional(t.atomicList(t.text(), "Volumes that are mounted or being mounted.")),
  volumesAttached: t.optional(t.atomicList(AttachedVolume, "Volumes that are attached.")),
  config: t.pointer(
    t.struct("Which configuration the agent had; no longer used.", {
      assigned: t.pointer(ConfigSource),
      active: t.pointer(ConfigSource),
      lastKnownGood: t.pointer(ConfigSource),
      error: t.optional(t.text("The error of the configuration.")),
    }),
  ),
  runtimeHandlers: t.optional(t.atomicList(RuntimeHandler, "The ways to run containers.")),
  features: t.pointer(
    t.struct("The features of the runtime.", {
      supplementalGroupsPolicy: t.pointer(t.bool("Whether a Pod can set how the groups of its image are used.")),
    }),
  ),
  declaredFeatures: t.optional(t.atomicList(t.text(), "Features that the agent has, in order.")),
});

/** A taint of an object before it is validated. */
export type TaintValue = Partial<t.Static<typeof Taint>>;

/** The schema of Node. */
export const nodeSchema = objectSchema("A machine that runs programs.", {
  spec: t.always(NodeSpec),
  status: t.always(NodeStatus),
});

/** A Node in wire form. */
export type Node = ObjectOf<typeof nodeSchema>;
