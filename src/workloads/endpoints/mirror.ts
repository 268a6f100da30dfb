/** The EndpointSlices of Endpoints that a user creates for a Service without a selector (WL-EP-7). */
import { EndpointSlice as EndpointSliceKind } from "../../client/kinds/index.ts";
import type { EndpointSlice, Endpoints, Service } from "../../client/kinds/index.ts";
import type { NewObject } from "../../client/kind.ts";
import { type IpFamily, addressBytes, addressText, familyOf } from "../../meta/addresses.ts";
import { type Steps, MEMBERS_A_STEP } from "../../util/steps.ts";
import { ownedBy, referenceTo } from "../common/ownership.ts";
import { type Plan, creates, deletes, tells, updates } from "../common/plan.ts";
import { sameMap } from "../common/string-maps.ts";
import { hasSelector, portsKey } from "./pods.ts";
import { MANAGED_BY, SERVICE_NAME, withLists } from "./slices.ts";
import { type Endpoint, endpointKey } from "./endpoint.ts";
import { TRIGGER_TIME } from "./trigger-time.ts";

/** The manager of mirrored slices. */
export const MIRRORED_BY = "endpointslicemirroring-controller.k8s.io";
const SKIP_MIRROR = "endpointslice.kubernetes.io/skip-mirror";
const LEADER = "control-plane.alpha.kubernetes.io/leader";
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** The maximum number of mirrored addresses of a subset. */
export const MAX_MIRRORED = 1000;

/** The input of mirrored slices. */
export interface MirrorInput {
  /** The Service with the same name; without it nothing is mirrored. */
  readonly service: Service | undefined;
  readonly endpoints: Endpoints | undefined;
  /** Slices of {@link MIRRORED_BY}, by the label with the name of the Service. */
  readonly slices: readonly EndpointSlice[];
}

/** Whether Endpoints have to be mirrored. */
const isMirrored = ({ metadata: { labels = {}, annotations = {} } }: Endpoints): boolean =>
  labels[SKIP_MIRROR] !== "true" && annotations[LEADER] === undefined;

/**
 * Plans the slices of Endpoints: one for each subset and family; none where they are not mirrored. It works in slices: there may be many
 * thousands of subsets.
 */
export function* planMirror({ service, endpoints, slices }: MirrorInput): Steps<Plan> {
  const isWanted = endpoints && service && !hasSelector(service) && isMirrored(endpoints);
  if (!isWanted) return { stages: [slices.map((slice) => deletes(EndpointSliceKind, slice))] };
  const { groups, invalid, tooMany } = yield* groupsOf(endpoints);
  const byKey = yield* byGroup(slices);
  const source = sourceOf(endpoints);
  const removed: EndpointSlice[] = [];
  const missing: Group[] = [];
  const updated: EndpointSlice[] = [];
  for (const [key, group] of groups) {
    const [first, ...rest] = byKey.get(key) ?? [];
    for (const slice of rest) removed.push(slice);
    if (!first) missing.push(group);
    else if (!isRight(first, group, source)) updated.push(mirrored(first, group, source));
    yield;
  }
  for (const [key, left] of byKey) if (!groups.has(key)) for (const slice of left) removed.push(slice);
  // A slice that would be deleted is reused for a new one of its family.
  const waiting = Map.groupBy(missing.toReversed(), ({ family }) => family);
  const deleted: EndpointSlice[] = [];
  for (const slice of removed) {
    const group = waiting.get(slice.addressType)?.pop();
    if (group) updated.push(mirrored(slice, group, source));
    else deleted.push(slice);
    yield;
  }
  const isGoing = endpoints.metadata.deletionTimestamp !== undefined;
  const left = new Set(isGoing ? [] : [...waiting.values()].flat());
  const created: NewObject<EndpointSlice>[] = [];
  for (const group of missing) {
    if (left.has(group)) created.push(newSlice(group, source));
    yield;
  }
  const writes = [
    created.map((slice) => creates(EndpointSliceKind, slice)),
    updated.map((slice) => updates(EndpointSliceKind, slice)),
    deleted.map((slice) => deletes(EndpointSliceKind, slice)),
  ].filter((stage) => stage.length > 0);
  if (writes.length === 0) return { stages: [] };
  const events = [
    ...(invalid > 0
      ? [
          tells(
            "Warning",
            "InvalidIPAddress",
            `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`,
          ),
        ]
      : []),
    ...(tooMany > 0
      ? [
          tells(
            "Warning",
            "TooManyAddressesToMirror",
            `A max of ${MAX_MIRRORED} addresses can be mirrored to EndpointSlices per Endpoints subset. ${invalid + tooMany} addresses were skipped`,
          ),
        ]
      : []),
  ];
  return { stages: [...writes, events] };
}

interface Group {
  readonly family: string;
  readonly ports: EndpointSlice["ports"];
  readonly endpoints: ReadonlyMap<string, Endpoint>;
}

type OpenGroup = Group & { readonly endpoints: Map<string, Endpoint> };

interface Groups {
  readonly groups: ReadonlyMap<string, Group>;
  /** Invalid addresses. */
  readonly invalid: number;
  /** Addresses beyond {@link MAX_MIRRORED}. */
  readonly tooMany: number;
}

type Subset = NonNullable<Endpoints["subsets"]>[number];
type Address = NonNullable<Subset["addresses"]>[number];

/** The endpoints of all subsets, by family and ports. */
function* groupsOf({ subsets = [] }: Endpoints): Steps<Groups> {
  const groups = new Map<string, OpenGroup>();
  let invalid = 0;
  let tooMany = 0;
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of subsets) {
    const groupOf = groupsFor(ports, groups);
    let looked = 0;
    let added = 0;
    for (const list of [addresses, notReadyAddresses]) {
      for (const address of list) {
        if (++looked % MEMBERS_A_STEP === 0) yield;
        const bytes = addressBytes(address.ip);
        if (!bytes) invalid++;
        else if (added >= MAX_MIRRORED) tooMany++;
        else {
          added++;
          addEndpoint(groupOf(familyOf(bytes)), endpointOf(address, bytes, list === addresses));
        }
      }
    }
    yield;
  }
  return { groups, invalid, tooMany };
}

/** Finds or adds the group of each family with some ports. There may be thousands of ports: their key is computed once. */
function groupsFor(
  ports: NonNullable<Subset["ports"]>,
  groups: Map<string, OpenGroup>,
): (family: IpFamily) => OpenGroup {
  const found = new Map<IpFamily, OpenGroup>();
  const ofPorts = portsKey(ports);
  return (family) => {
    let group = found.get(family);
    if (group) return group;
    const key = keyOf(family, ofPorts);
    group = groups.get(key) ?? { family, ports: portsOfSlice(ports), endpoints: new Map() };
    groups.set(key, group);
    found.set(family, group);
    return group;
  };
}

/** The existing slices, grouped in the same way. */
function* byGroup(slices: readonly EndpointSlice[]): Steps<ReadonlyMap<string, readonly EndpointSlice[]>> {
  const groups = new Map<string, EndpointSlice[]>();
  for (const one of slices) {
    const slice = withLists(one);
    const key = keyOf(slice.addressType, portsKey(slice.ports));
    const group = groups.get(key);
    if (group) group.push(slice);
    else groups.set(key, [slice]);
    yield;
  }
  return groups;
}

const keyOf = (family: string, ofPorts: string): string => `${family} ${ofPorts}`;

/** Adds an endpoint; it is ready where it is ready in at least one subset. */
function addEndpoint({ endpoints }: OpenGroup, endpoint: Endpoint): void {
  const id = endpointKey(endpoint);
  if (endpoints.get(id)?.conditions.ready !== true) endpoints.set(id, endpoint);
}

const endpointOf = (
  { hostname, targetRef, nodeName }: Address,
  bytes: readonly number[],
  ready: boolean,
): Endpoint => ({
  addresses: [addressText(bytes)],
  conditions: { ready },
  ...(hostname ? { hostname } : {}),
  ...(targetRef ? { targetRef } : {}),
  ...(nodeName ? { nodeName } : {}),
});

const portsOfSlice = (ports: NonNullable<Subset["ports"]>): EndpointSlice["ports"] =>
  ports.map(({ name = "", port, protocol = "TCP", appProtocol }) => ({
    name,
    port,
    protocol,
    ...(appProtocol === undefined ? {} : { appProtocol }),
  }));

/** The labels, annotations and owner that all slices get from the Endpoints. */
interface Source {
  readonly owner: Endpoints;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

function sourceOf(owner: Endpoints): Source {
  const { name, labels = {}, annotations = {} } = owner.metadata;
  const { [TRIGGER_TIME]: _, [LAST_APPLIED]: __, ...others } = annotations;
  return { owner, labels: { ...labels, [SERVICE_NAME]: name, [MANAGED_BY]: MIRRORED_BY }, annotations: others };
}

const endpointsIn = ({ endpoints }: Group): readonly Endpoint[] => [...endpoints.values()].slice(0, MAX_MIRRORED);

function newSlice(group: Group, { owner, labels, annotations }: Source): NewObject<EndpointSlice> {
  const metadata = {
    generateName: `${owner.metadata.name}-`,
    labels,
    ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
  };
  return ownedBy({ metadata, addressType: group.family, ports: group.ports, endpoints: endpointsIn(group) }, owner);
}

const mirrored = (slice: EndpointSlice, group: Group, { owner, labels, annotations }: Source): EndpointSlice => ({
  ...slice,
  metadata: { ...slice.metadata, labels, annotations, ownerReferences: [referenceTo(owner)] },
  ports: group.ports,
  endpoints: endpointsIn(group),
});

/** Whether a slice has the desired endpoints, labels, annotations and owner. */
function isRight({ metadata, endpoints }: EndpointSlice, group: Group, source: Source): boolean {
  const others = metadata.ownerReferences?.some(({ uid }) => uid !== source.owner.metadata.uid) === true;
  if (others || endpoints.length !== Math.min(group.endpoints.size, MAX_MIRRORED)) return false;
  return (
    sameMap(metadata.labels, source.labels) &&
    sameMap(metadata.annotations, source.annotations) &&
    endpoints.every((endpoint) => isSame(endpoint, group.endpoints.get(endpointKey(endpoint))))
  );
}

const isSame = (a: Endpoint, b: Endpoint | undefined): boolean =>
  b !== undefined &&
  a.nodeName === b.nodeName &&
  a.conditions.ready === b.conditions.ready &&
  a.targetRef?.uid === b.targetRef?.uid &&
  a.targetRef?.kind === b.targetRef?.kind;
