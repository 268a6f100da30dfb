/**
 * The EndpointSlices of a Service (WL-EP-1..6): which endpoints it has, and how they are packed into slices of at most 100 with as few
 * changes as possible.
 */
import type { EndpointSlice, Node, Pod, Service } from "../../client/kinds/index.ts";
import type { NewObject } from "../../client/kind.ts";
import { ownedBy } from "../common/ownership.ts";
import { type Plan, type PlannedWrite, type Refusal, creates, deletes, tells, updates } from "../common/plan.ts";
import { isReady, isTerminating } from "../common/pods.ts";
import { sameMap } from "../common/string-maps.ts";
import type { Steps } from "../../util/steps.ts";
import { EndpointSlice as EndpointSliceKind } from "../../client/kinds/index.ts";
import { type Endpoint, endpointKey } from "./endpoint.ts";
import { type Hinting, hintingOf } from "./hints.ts";
import { type Packed, pack } from "./packing.ts";
import { addressesOf, familiesOf, hostnameOf, isHeadlessService, isReachable, portsFinder, portsKey } from "./pods.ts";
import { TRIGGER_TIME } from "./trigger-time.ts";

/** The manager of the slices of Services with selectors. */
export const SLICES_MANAGED_BY = "endpointslice-controller.k8s.io";
export const MANAGED_BY = "endpointslice.kubernetes.io/managed-by";
export const SERVICE_NAME = "kubernetes.io/service-name";
export const HEADLESS = "service.kubernetes.io/headless";

/** The input of the slices of a Service. */
export interface SlicesInput {
  readonly service: Service;
  /** Pods that match its selector. */
  readonly pods: readonly Pod[];
  /** Its slices of {@link SLICES_MANAGED_BY}, by the label with its name. */
  readonly slices: readonly EndpointSlice[];
  readonly nodeOf: (name: string) => Node | undefined;
  /** The time of the change, for the annotation of written slices. */
  readonly triggerTime: string | undefined;
}

/** Endpoints with the same ports, by their keys. */
interface Group {
  readonly ports: readonly PortOfSlice[];
  readonly endpoints: Map<string, Endpoint>;
}

type PortOfSlice = EndpointSlice["ports"][number];

/** Returns a slice as its type has it: a server may return null for an empty list. */
export function withLists(slice: EndpointSlice): EndpointSlice {
  const { endpoints, ports } = slice as Partial<EndpointSlice>;
  return endpoints && ports ? slice : { ...slice, endpoints: endpoints ?? [], ports: ports ?? [] };
}

/**
 * Plans the slices of a Service with a selector, in slices of work: Pods and ports may be many. New slices are created first, so that no
 * endpoint is missing meanwhile.
 */
export function* planSlices(input: SlicesInput): Steps<Plan> {
  const families = familiesOf(input.service);
  const labels = labelsOf(input.service);
  const slices = input.slices.map(withLists);
  const stale = slices.filter(({ addressType }) => !families.includes(addressType));
  const plans: FamilyPlan[] = [];
  for (const family of families) plans.push(yield* planFamily({ ...input, slices, labels }, family));
  const removed = [...plans.flatMap((plan) => plan.removed), ...stale];
  const isGoing = input.service.metadata.deletionTimestamp !== undefined;
  return {
    stages: [
      isGoing ? [] : plans.flatMap(({ created }) => created.map((slice) => creates(EndpointSliceKind, slice))),
      plans.flatMap(({ updated }) => updated.map((slice): PlannedWrite => updates(EndpointSliceKind, slice))),
      removed.map((slice) => deletes(EndpointSliceKind, slice)),
    ].filter((stage) => stage.length > 0),
    afterwards: (refusals) => refusals.slice(0, 1).map((refusal) => tellRefusal(input.service, refusal)),
  };
}

/** An Event about the Service, with the message of kube-controller-manager. */
function tellRefusal({ metadata }: Service, { write, message }: Refusal): PlannedWrite {
  const service = `Service ${metadata.namespace}/${metadata.name}`;
  const slice = "object" in write && write.verb !== "create" ? `${write.object.metadata.name} ` : "";
  const note = `Error updating Endpoint Slices for ${service}: failed to ${write.verb} ${slice}EndpointSlice for ${service}: ${message}`;
  return tells("Warning", "FailedToUpdateEndpointSlices", note);
}

interface FamilyPlan {
  readonly created: readonly NewObject<EndpointSlice>[];
  readonly updated: readonly EndpointSlice[];
  readonly removed: readonly EndpointSlice[];
}

/** The input of the slices of a family. */
interface FamilyInput extends SlicesInput {
  /** The desired labels of each slice. */
  readonly labels: Readonly<Record<string, string>>;
}

function* planFamily(input: FamilyInput, family: string): Steps<FamilyPlan> {
  const { service, slices } = input;
  const existing = slices.filter(({ addressType }) => addressType === family);
  const own = existing.filter((slice) => isOwned(slice, service));
  const byPorts = Map.groupBy(own, ({ ports }) => portsKey(ports));
  const groups = yield* groupsOf(input, family);
  const hinting = hintingOf(service);

  const created: Pick<EndpointSlice, "ports" | "endpoints">[] = [];
  const kept: Packed[] = [];
  const removed = existing.filter((slice) => !isOwned(slice, service));
  for (const [key, { ports, endpoints }] of groups) {
    const packed = pack(byPorts.get(key) ?? [], endpoints);
    for (const list of packed.created) created.push({ ports, endpoints: list });
    for (const one of packed.kept) kept.push(one);
    for (const slice of packed.emptied) removed.push(slice);
  }
  for (const [key, left] of byPorts) if (!groups.has(key)) for (const slice of left) removed.push(slice);

  // A slice that would be deleted is reused for a new one.
  const reused: Packed[] = [];
  const wanted = created.length > 0 || kept.length > 0 ? created : [{ ports: [], endpoints: [] }];
  const deleted = removed.filter((slice) => {
    const next = isOwned(slice, service) ? wanted.pop() : undefined;
    if (!next) return true;
    const { ports, endpoints } = next;
    const isPlaceholder = endpoints.length === 0 && slice.endpoints.length === 0 && slice.ports.length === 0;
    reused.push({ slice: { ...slice, ports }, endpoints, hasChanged: !isPlaceholder });
    return false;
  });
  const written = [...kept, ...reused].flatMap((packed) => updatedSlice(packed, input, hinting));
  const fresh = wanted.map((one) => newSlice(one, family, input, hinting));
  return { created: fresh, updated: written, removed: deleted };
}

/** The endpoints of a family, grouped by the ports of their Pods. */
function* groupsOf({ service, pods, nodeOf }: SlicesInput, family: string): Steps<ReadonlyMap<string, Group>> {
  const groups = new Map<string, Group>();
  const portsOf = portsFinder(service);
  const { publishNotReadyAddresses: publishes = false } = service.spec;
  for (const pod of pods) {
    yield;
    if (!isReachable(pod, true)) continue;
    const { ports, key } = portsOf(pod);
    const group = groups.get(key) ?? { ports, endpoints: new Map() };
    groups.set(key, group);
    const node = pod.spec.nodeName ? nodeOf(pod.spec.nodeName) : undefined;
    if (!node && !publishes) continue;
    const addresses = addressesOf(pod, family);
    if (addresses.length === 0) continue;
    const endpoint = endpointOf(pod, service, { addresses, node, publishes });
    group.endpoints.set(endpointKey(endpoint), endpoint);
  }
  return groups;
}

function endpointOf(
  pod: Pod,
  service: Service,
  place: { readonly addresses: readonly string[]; readonly node: Node | undefined; readonly publishes: boolean },
): Endpoint {
  const { name, namespace = "", uid } = pod.metadata;
  const serving = isReady(pod);
  const terminating = isTerminating(pod);
  const hostname = hostnameOf(pod, service);
  const zone = place.node?.metadata.labels?.["topology.kubernetes.io/zone"];
  return {
    addresses: place.addresses,
    conditions: { ready: place.publishes || (serving && !terminating), serving, terminating },
    ...(hostname === undefined ? {} : { hostname }),
    targetRef: { kind: "Pod", namespace, name, uid },
    ...(pod.spec.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    ...(zone ? { zone } : {}),
  };
}

const isOwned = ({ metadata: { ownerReferences = [] } }: EndpointSlice, { metadata: { uid } }: Service): boolean =>
  ownerReferences.some((one) => one.uid === uid && one.kind === "Service" && one.apiVersion === "v1");

/** The slice with its desired content; undefined where it is up to date. */
function updatedSlice(packed: Packed, { labels, triggerTime }: FamilyInput, hinting: Hinting): EndpointSlice[] {
  const { slice } = packed;
  const hasLabels = sameMap(slice.metadata.labels, labels);
  if (!packed.hasChanged && hasLabels && !hinting.isStale(slice.endpoints)) return [];
  const { [TRIGGER_TIME]: _, ...others } = slice.metadata.annotations ?? {};
  const annotations = triggerTime === undefined ? others : { ...others, [TRIGGER_TIME]: triggerTime };
  return [
    {
      ...slice,
      metadata: { ...slice.metadata, labels, annotations },
      endpoints: packed.endpoints.map((one) => hinting.hinted(one)),
    },
  ];
}

function newSlice(
  { ports, endpoints }: Pick<EndpointSlice, "ports" | "endpoints">,
  addressType: string,
  { service, labels, triggerTime }: FamilyInput,
  hinting: Hinting,
): NewObject<EndpointSlice> {
  const metadata = {
    generateName: `${service.metadata.name}-`,
    labels,
    ...(triggerTime === undefined ? {} : { annotations: { [TRIGGER_TIME]: triggerTime } }),
  };
  return ownedBy({ metadata, addressType, ports, endpoints: endpoints.map((one) => hinting.hinted(one)) }, service);
}

const RESERVED = new Set([MANAGED_BY, SERVICE_NAME, HEADLESS]);

/** The labels of a Service, and those that identify its slices. */
function labelsOf(service: Service): Record<string, string> {
  const labels = Object.fromEntries(
    Object.entries(service.metadata.labels ?? {}).filter(([key]) => !RESERVED.has(key)),
  );
  return {
    ...labels,
    ...(isHeadlessService(service) ? { [HEADLESS]: "" } : {}),
    [SERVICE_NAME]: service.metadata.name,
    [MANAGED_BY]: SLICES_MANAGED_BY,
  };
}
