import type { Messages } from "./numbers.ts";

/** `discovery/v1`: the endpoints of Services. */
export const discovery: Messages = {
  EndpointSlice: {
    metadata: [1, "meta.ObjectMeta"],
    endpoints: [2, "Endpoint"],
    ports: [3, "EndpointPort"],
    addressType: 4,
  },
  Endpoint: {
    addresses: 1,
    conditions: [2, "EndpointConditions"],
    hostname: 3,
    targetRef: [4, "core.ObjectReference"],
    deprecatedTopology: 5,
    nodeName: 6,
    zone: 7,
    hints: [8, "EndpointHints"],
  },
  EndpointConditions: { ready: 1, serving: 2, terminating: 3 },
  EndpointHints: { forZones: [1, "ForZone"], forNodes: [2, "ForNode"] },
  EndpointPort: { name: 1, protocol: 2, port: 3, appProtocol: 4 },
  ForZone: { name: 1 },
  ForNode: { name: 1 },
};
