import type { Countable, Usage } from "./contract.ts";

interface Service extends Countable {
  readonly spec: {
    readonly type?: string;
    readonly ports?: readonly { readonly nodePort?: number }[] | null;
    readonly allocateLoadBalancerNodePorts?: boolean;
  };
}

/** How many ports of nodes a Service has, or is about to get. */
function nodePorts({ spec }: Service): number {
  const ports = spec.ports ?? [];
  if (spec.type === "NodePort") return ports.length;
  if (spec.type !== "LoadBalancer") return 0;
  const isGiven = spec.allocateLoadBalancerNodePorts !== false;
  return isGiven ? ports.length : ports.filter(({ nodePort = 0 }) => nodePort !== 0).length;
}

/** How Services are counted: ports of nodes and balancers on their own. */
export const serviceUsage: Usage = {
  of: (object) => ({
    "services.nodeports": String(nodePorts(object as Service)),
    "services.loadbalancers": (object as Service).spec.type === "LoadBalancer" ? "1" : "0",
  }),
  mayChange: (subresource) => subresource === "",
};
