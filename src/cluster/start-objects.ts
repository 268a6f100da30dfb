/**
 * The objects that a server creates at its start where they are missing: the priority classes of the system (KIND-PriorityClass-3), and the
 * Service by which it is found (KIND-Service-20).
 * They are objects like all others, which clients may change and delete. A server looks for them once, in the objects that it has read from
 * the store. Where several servers start at the same time, each object is created once.
 *
 * @module
 */
import { SYSTEM_PRIORITIES } from "../kinds/scheduling/v1/priority-class.ts";
import { addressText, networkAddress, networkOf } from "../meta/addresses.ts";
import { SERVICE_RANGES } from "../meta/service-ranges.ts";
import { formatTime } from "../meta/time.ts";
import type { StartObject } from "../registry/index.ts";
import { assert } from "../util/assert.ts";
import type { ApiContext } from "../schema/definition.ts";

/** The objects of the start. */
interface StartObjects {
  /** Created together with the first namespaces. */
  readonly ofCluster: readonly StartObject[];
  /** Created after those. */
  readonly inNamespaces: readonly StartObject[];
}

/** The objects of the start in a dialect. */
export function startObjects(api: ApiContext): StartObjects {
  const { systemPriorities, ownService: isFound } = api.dialect.rules;
  return {
    ofCluster: [...(systemPriorities ? systemClasses() : []), ...(isFound ? [ownRange(api)] : [])],
    inNamespaces: isFound ? [ownService(api)] : [],
  };
}

/** The classes of Pods that a cluster needs to work. */
const systemClasses = (): StartObject[] =>
  Object.entries(SYSTEM_PRIORITIES).map(([name, { value, description }]) => ({
    resource: "priorityclasses.scheduling.k8s.io",
    object: { kind: "PriorityClass", metadata: { name }, value, description },
  }));

/** The networks from which this server allocates addresses of Services. */
function ownRange({ clock, serviceRanges = SERVICE_RANGES }: ApiContext): StartObject {
  const ready = {
    type: "Ready",
    status: "True",
    lastTransitionTime: formatTime(clock.now()),
    reason: "",
    message: "addresses are given out",
  };
  return {
    resource: "servicecidrs.networking.k8s.io",
    object: {
      kind: "ServiceCIDR",
      metadata: { name: "kubernetes" },
      spec: { cidrs: [...serviceRanges.networks] },
      status: { conditions: [ready] },
    },
  };
}

/** The Service by which programs in the cluster find this server. */
function ownService({ serviceRanges = SERVICE_RANGES }: ApiContext): StartObject {
  const [text = ""] = serviceRanges.networks;
  const network = networkOf(text);
  assert(network, "networks of Services were validated");
  const lowest = networkAddress(network);
  const first = lowest.with(-1, (lowest.at(-1) ?? 0) + 1);
  return {
    resource: "services.",
    object: {
      kind: "Service",
      metadata: {
        name: "kubernetes",
        namespace: "default",
        labels: { component: "apiserver", provider: "kubernetes" },
      },
      spec: {
        type: "ClusterIP",
        clusterIP: addressText(first),
        ports: [{ name: "https", port: 443, targetPort: 6443 }],
      },
    },
  };
}
