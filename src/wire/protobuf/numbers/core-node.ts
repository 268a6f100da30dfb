import type { Messages } from "./numbers.ts";

/** Node (`core/v1`). */
export const coreNode: Messages = {
  Node: { metadata: [1, "meta.ObjectMeta"], spec: [2, "NodeSpec"], status: [3, "NodeStatus"] },
  NodeSpec: { podCIDR: 1, externalID: 2, providerID: 3, unschedulable: 4, taints: [5, "Taint"], podCIDRs: 7 },
  Taint: { key: 1, value: 2, effect: 3, timeAdded: 4 },
  NodeStatus: {
    capacity: 1,
    allocatable: 2,
    phase: 3,
    conditions: [4, "NodeCondition"],
    addresses: [5, "NodeAddress"],
    daemonEndpoints: [6, "NodeDaemonEndpoints"],
    nodeInfo: [7, "NodeSystemInfo"],
    images: [8, "ContainerImage"],
    volumesInUse: 9,
    volumesAttached: [10, "AttachedVolume"],
  },
  NodeCondition: { type: 1, status: 2, lastHeartbeatTime: 3, lastTransitionTime: 4, reason: 5, message: 6 },
  NodeAddress: { type: 1, address: 2 },
  NodeDaemonEndpoints: { kubeletEndpoint: [1, "DaemonEndpoint"] },
  DaemonEndpoint: { Port: 1 },
  NodeSystemInfo: {
    machineID: 1,
    systemUUID: 2,
    bootID: 3,
    kernelVersion: 4,
    osImage: 5,
    containerRuntimeVersion: 6,
    kubeletVersion: 7,
    kubeProxyVersion: 8,
    operatingSystem: 9,
    architecture: 10,
  },
  ContainerImage: { names: 1, sizeBytes: 2 },
  AttachedVolume: { name: 1, devicePath: 2 },
};
