import type { Pod } from "../client/kinds/index.ts";

type Container = Pod["spec"]["containers"][number];

/** Returns a Pod with the defaults that a server sets and volumes show: container requests from limits. */
export function withRequests(pod: Pod): Pod {
  const { containers, initContainers } = pod.spec;
  const filled = {
    containers: containers.map(requestsOf),
    ...(initContainers ? { initContainers: initContainers.map(requestsOf) } : {}),
  };
  return { ...pod, spec: { ...pod.spec, ...filled } };
}

function requestsOf<C extends Pick<Container, "resources">>(container: C): C {
  const { limits, requests } = container.resources ?? {};
  return limits
    ? { ...container, resources: { ...container.resources, requests: { ...limits, ...requests } } }
    : container;
}
