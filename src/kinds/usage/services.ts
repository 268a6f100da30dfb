import type { Service } from "../core/v1/service/schema.ts";
import type { Usage } from "./contract.ts";

/** The number of node ports of a Service, allocated or requested. */
function nodePorts({ spec }: Service): number {
  const ports = spec.ports ?? [];
  if (spec.type === "NodePort") return ports.length;
  if (spec.type !== "LoadBalancer") return 0;
  const isGiven = spec.allocateLoadBalancerNodePorts !== false;
  return isGiven ? ports.length : ports.filter(({ nodePort = 0 }) => nodePort !== 0).length;
}

/** How Services are counted: ports of nodes and balancers on their own. */
export const serviceUsage: Usage<Service> = {
  of: (object) => ({
    "services.nodeports": String(nodePorts(object)),
    "services.loadbalancers": object.spec.type === "LoadBalancer" ? "1" : "0",
  }),
  mayChange: (subresource) => subresource === "",
};
