/**
 * Objects that a server makes when it starts and they are not there: what it is found by itself (KIND-Service-20).
 *
 * @module
 */
import { addressText, firstOf, networkOf } from "../meta/addresses.ts";
import { SERVICE_RANGES } from "../meta/service-ranges.ts";
import { formatTime } from "../meta/time.ts";
import type { StartObject } from "../registry/index.ts";
import type { ApiContext } from "../schema/definition.ts";

/** What is there from the start, in a dialect that has such; each is made after those before it. */
export function startObjects(api: ApiContext): readonly StartObject[] {
  return api.dialect.rules.ownService ? [ownRange(api), ownService(api)] : [];
}

/** The networks that this server gives Services addresses of. */
function ownRange({ clock, dialect, serviceRanges = SERVICE_RANGES }: ApiContext): StartObject {
  const ready = {
    type: "Ready",
    status: "True",
    lastTransitionTime: formatTime(clock.now()),
    reason: "",
    message: "addresses are given out",
  };
  return {
    resource: `servicecidrs.networking.${dialect.domain}`,
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
  const network = networkOf(serviceRanges.networks[0]!)!;
  const first = firstOf(network).with(-1, firstOf(network).at(-1)! + 1);
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
