/** The Endpoints of a Service (WL-EP-1, WL-EP-3..5): its addresses, for clients that do not know EndpointSlices. */
import { Endpoints as EndpointsKind } from "../../client/kinds/index.ts";
import type { Endpoints, Pod, Service } from "../../client/kinds/index.ts";
import type { NewObject } from "../../client/kind.ts";
import type { Steps } from "../../util/steps.ts";
import { type Plan, type PlannedWrite, type Refusal, creates, tells, updates } from "../common/plan.ts";
import { isReady } from "../common/pods.ts";
import { sameMap } from "../common/string-maps.ts";
import {
  type FoundPort,
  addressesOf,
  familiesOf,
  hostnameOf,
  isHeadlessService,
  isReachable,
  portsKey,
  portsFinder,
} from "./pods.ts";
import { HEADLESS } from "./slices.ts";
import { TRIGGER_TIME } from "./trigger-time.ts";

type Subset = NonNullable<Endpoints["subsets"]>[number];
type Address = NonNullable<Subset["addresses"]>[number];

/** The manager of the Endpoints of Services with selectors, as a label. */
export const ENDPOINTS_MANAGED_BY = "endpoints.kubernetes.io/managed-by";
const ENDPOINT_CONTROLLER = "endpoint-controller";
const OVER_CAPACITY = "endpoints.kubernetes.io/over-capacity";

/** The maximum number of addresses in Endpoints. */
export const MAX_ADDRESSES = 1000;

/** The input of the Endpoints of a Service. */
export interface EndpointsInput {
  readonly service: Service;
  /** Pods that match its selector. */
  readonly pods: readonly Pod[];
  readonly current: Endpoints | undefined;
  /** The time of the change, for the annotation of written objects. */
  readonly triggerTime: string | undefined;
}

/** Plans the Endpoints of a Service with a selector, in slices: Pods and ports may be many. */
export function* planEndpoints({ service, pods, current, triggerTime }: EndpointsInput): Steps<Plan> {
  const all = yield* subsetsOf(service, pods);
  const { subsets, isTruncated } = truncated(all);
  const labels = labelsOf(service);
  const { [TRIGGER_TIME]: _, [OVER_CAPACITY]: said, ...others } = current?.metadata.annotations ?? {};
  const isRight =
    current &&
    sameSubsets(current.subsets ?? [], subsets) &&
    sameMap(current.metadata.labels, labels) &&
    (said !== undefined) === isTruncated;
  if (isRight) return { stages: [] };
  const annotations = {
    ...others,
    ...(triggerTime === undefined ? {} : { [TRIGGER_TIME]: triggerTime }),
    ...(isTruncated ? { [OVER_CAPACITY]: "truncated" } : {}),
  };
  const { name, namespace } = service.metadata;
  const of = `${namespace}/${name}`;
  if (current) {
    const changed = { ...current, metadata: { ...current.metadata, labels, annotations }, subsets };
    return {
      stages: [[updates(EndpointsKind, changed)]],
      afterwards: refused("FailedToUpdateEndpoint", `Failed to update endpoint ${of}`),
    };
  }
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }), labels, annotations };
  const created: NewObject<Endpoints> = { metadata, subsets };
  return {
    stages: [[creates(EndpointsKind, created)]],
    afterwards: refused("FailedToCreateEndpoint", `Failed to create endpoint for service ${of}`),
  };
}

/** Events about refusals, with the messages of kube-controller-manager. */
const refused =
  (reason: string, what: string): NonNullable<Plan["afterwards"]> =>
  (refusals: readonly Refusal[]): readonly PlannedWrite[] =>
    refusals.map(({ message }) => tells("Warning", reason, `${what}: ${message}`));

interface OpenSubset {
  readonly ports: readonly FoundPort[];
  readonly ready: Address[];
  readonly notReady: Address[];
}

/** The addresses of a Service, grouped by equal ports, sorted. */
function* subsetsOf(service: Service, pods: readonly Pod[]): Steps<readonly Subset[]> {
  const { publishNotReadyAddresses: publishes = false, ports: ownPorts = [], clusterIP } = service.spec;
  const [family = "IPv4"] = familiesOf(service);
  const byPorts = new Map<string, OpenSubset>();
  const portsOf = portsFinder(service);
  for (const pod of pods) {
    yield;
    if (!isReachable(pod, publishes)) continue;
    const [ip] = addressesOf(pod, family);
    if (ip === undefined) continue;
    const { ports, key } = portsOf(pod);
    if (ports.length === 0 && (ownPorts.length > 0 || clusterIP !== "None")) continue;
    const subset = byPorts.get(key) ?? { ports: sortedPorts(ports), ready: [], notReady: [] };
    byPorts.set(key, subset);
    (publishes || isReady(pod) ? subset.ready : subset.notReady).push(addressOf(pod, service, ip));
  }
  return [...byPorts]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { ports, ready, notReady }]) => ({
      ...(ready.length > 0 ? { addresses: ready.toSorted(byAddress) } : {}),
      ...(notReady.length > 0 ? { notReadyAddresses: notReady.toSorted(byAddress) } : {}),
      ...(ports.length > 0 ? { ports } : {}),
    }));
}

function addressOf(pod: Pod, service: Service, ip: string): Address {
  const { name, namespace = "", uid } = pod.metadata;
  const hostname = hostnameOf(pod, service);
  return {
    ip,
    ...(hostname === undefined ? {} : { hostname }),
    ...(pod.spec.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    targetRef: { kind: "Pod", namespace, name, uid },
  };
}

const sortedPorts = (ports: readonly FoundPort[]): readonly FoundPort[] =>
  ports.toSorted((a, b) => a.port - b.port || (a.name < b.name ? -1 : 1));

function byAddress(a: Address, b: Address): number {
  if (a.ip !== b.ip) return a.ip < b.ip ? -1 : 1;
  return (a.targetRef?.uid ?? "") < (b.targetRef?.uid ?? "") ? -1 : 1;
}

/** Keeps at most {@link MAX_ADDRESSES}: ready ones first, of each subset in proportion. */
function truncated(subsets: readonly Subset[]): { readonly subsets: readonly Subset[]; readonly isTruncated: boolean } {
  const count = (list: "addresses" | "notReadyAddresses"): number =>
    subsets.reduce((sum, subset) => sum + (subset[list]?.length ?? 0), 0);
  const [ready, notReady] = [count("addresses"), count("notReadyAddresses")];
  if (ready + notReady <= MAX_ADDRESSES) return { subsets, isTruncated: false };
  const cutsReady = ready > MAX_ADDRESSES;
  const list = cutsReady ? "addresses" : "notReadyAddresses";
  const [most, total] = cutsReady ? [MAX_ADDRESSES, ready] : [MAX_ADDRESSES - ready, notReady];
  let left = most;
  const cut = subsets.map((subset): Subset => {
    const { addresses = [], notReadyAddresses: _, ...rest } = subset;
    const all = subset[list] ?? [];
    const kept = all.slice(0, Math.min(left, Math.ceil((all.length / total) * most)));
    left -= kept.length;
    const [first, second] = cutsReady ? [kept, []] : [addresses, kept];
    return {
      ...(first.length > 0 ? { addresses: first } : {}),
      ...(second.length > 0 ? { notReadyAddresses: second } : {}),
      ...rest,
    };
  });
  return { subsets: cut, isTruncated: true };
}

/** The labels of a Service, and the manager of its Endpoints. */
function labelsOf(service: Service): Record<string, string> {
  const { [HEADLESS]: _, ...labels } = service.metadata.labels ?? {};
  return {
    ...labels,
    ...(isHeadlessService(service) ? { [HEADLESS]: "" } : {}),
    [ENDPOINTS_MANAGED_BY]: ENDPOINT_CONTROLLER,
  };
}

const sameSubsets = (a: readonly Subset[], b: readonly Subset[]): boolean =>
  a.length === b.length && a.every((subset, i) => sameSubset(subset, b[i]!));

const sameSubset = (a: Subset, b: Subset): boolean =>
  portsKey(a.ports ?? []) === portsKey(b.ports ?? []) &&
  sameAddresses(a.addresses, b.addresses) &&
  sameAddresses(a.notReadyAddresses, b.notReadyAddresses);

const sameAddresses = (a: readonly Address[] = [], b: readonly Address[] = []): boolean =>
  a.length === b.length &&
  a.every((one, i) => {
    const other = b[i]!;
    return (
      one.ip === other.ip &&
      one.hostname === other.hostname &&
      one.nodeName === other.nodeName &&
      one.targetRef?.kind === other.targetRef?.kind &&
      one.targetRef?.name === other.targetRef?.name &&
      one.targetRef?.uid === other.targetRef?.uid
    );
  });
