/** The EndpointSlices of Endpoints that somebody makes for a Service without a selector (WL-EP-7). */
import { EndpointSlice as EndpointSliceKind } from "../../client/kinds/index.ts";
import type { EndpointSlice, Endpoints, Service } from "../../client/kinds/index.ts";
import type { NewObject } from "../../client/kind.ts";
import { addressBytes, addressText, familyOf } from "../../meta/addresses.ts";
import { ownedBy, referenceTo } from "../common/ownership.ts";
import { type Plan, creates, deletes, tells, updates } from "../common/plan.ts";
import { hasSelector, portsKey } from "./pods.ts";
import { MANAGED_BY, SERVICE_NAME, withLists } from "./slices.ts";
import { type Endpoint, endpointKey } from "./endpoint.ts";
import { TRIGGER_TIME } from "./trigger-time.ts";

/** Who writes mirrored slices. */
export const MIRRORED_BY = "endpointslicemirroring-controller.k8s.io";
const SKIP_MIRROR = "endpointslice.kubernetes.io/skip-mirror";
const LEADER = "control-plane.alpha.kubernetes.io/leader";
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** The most addresses of a subset that are mirrored. */
export const MAX_MIRRORED = 1000;

/** What mirrored slices follow from. */
export interface MirrorInput {
  /** The Service of the name; without one nothing is mirrored. */
  readonly service: Service | undefined;
  readonly endpoints: Endpoints | undefined;
  /** Slices of {@link MIRRORED_BY}, by the label with the name. */
  readonly slices: readonly EndpointSlice[];
}

/** Whether Endpoints ask to be mirrored. */
const isMirrored = ({ metadata: { labels = {}, annotations = {} } }: Endpoints): boolean =>
  labels[SKIP_MIRROR] !== "true" && annotations[LEADER] === undefined;

/** Plans the slices of Endpoints: one for each subset and family; none where they are not mirrored. */
export function planMirror({ service, endpoints, slices }: MirrorInput): Plan {
  const isWanted = endpoints && service && !hasSelector(service) && isMirrored(endpoints);
  if (!isWanted) return { stages: [slices.map((slice) => deletes(EndpointSliceKind, slice))] };
  const { groups, invalid, tooMany } = groupsOf(endpoints);
  const byKey = Map.groupBy(slices.map(withLists), ({ addressType, ports }) => keyOf(addressType, ports));
  const removed: EndpointSlice[] = [];
  const created: Group[] = [];
  const updated: EndpointSlice[] = [];
  for (const [key, group] of groups) {
    const [first, ...rest] = byKey.get(key) ?? [];
    for (const slice of rest) removed.push(slice);
    if (!first) created.push(group);
    else if (!isRight(first, group, endpoints)) updated.push(mirrored(first, group, endpoints));
  }
  for (const [key, left] of byKey) if (!groups.has(key)) for (const slice of left) removed.push(slice);
  // A slice that would be deleted becomes one of its family that would be made.
  const waiting = Map.groupBy(created.toReversed(), ({ family }) => family);
  const deleted = removed.filter((slice) => {
    const group = waiting.get(slice.addressType)?.pop();
    if (group) updated.push(mirrored(slice, group, endpoints));
    return !group;
  });
  const left = new Set([...waiting.values()].flat());
  const isGoing = endpoints.metadata.deletionTimestamp !== undefined;
  const writes = [
    isGoing
      ? []
      : created
          .filter((group) => left.has(group))
          .map((group) => creates(EndpointSliceKind, newSlice(group, endpoints))),
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

interface Groups {
  readonly groups: ReadonlyMap<string, Group>;
  /** Addresses that are none. */
  readonly invalid: number;
  /** Addresses beyond {@link MAX_MIRRORED}. */
  readonly tooMany: number;
}

const keyOf = (family: string, ports: Parameters<typeof portsKey>[0]): string => `${family} ${portsKey(ports)}`;

/** The endpoints of all subsets, by family and ports. */
function groupsOf({ subsets = [] }: Endpoints): Groups {
  const groups = new Map<string, Group & { readonly endpoints: Map<string, Endpoint> }>();
  let invalid = 0;
  let tooMany = 0;
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of subsets) {
    const all = [
      ...addresses.map((address) => ({ address, ready: true })),
      ...notReadyAddresses.map((address) => ({ address, ready: false })),
    ];
    let added = 0;
    for (const { address, ready } of all) {
      const bytes = addressBytes(address.ip);
      if (!bytes) invalid++;
      else if (added >= MAX_MIRRORED) tooMany++;
      else {
        added++;
        const family = familyOf(bytes);
        const key = keyOf(family, ports);
        const group = groups.get(key) ?? { family, ports: portsOfSlice(ports), endpoints: new Map() };
        groups.set(key, group);
        const { hostname, targetRef, nodeName } = address;
        const endpoint: Endpoint = {
          addresses: [addressText(bytes)],
          conditions: { ready },
          ...(hostname ? { hostname } : {}),
          ...(targetRef ? { targetRef } : {}),
          ...(nodeName ? { nodeName } : {}),
        };
        const id = endpointKey(endpoint);
        // One that is ready in one subset is ready.
        if (group.endpoints.get(id)?.conditions.ready !== true) group.endpoints.set(id, endpoint);
      }
    }
  }
  return { groups, invalid, tooMany };
}

const portsOfSlice = (ports: NonNullable<NonNullable<Endpoints["subsets"]>[number]["ports"]>): EndpointSlice["ports"] =>
  ports.map(({ name = "", port, protocol = "TCP", appProtocol }) => ({
    name,
    port,
    protocol,
    ...(appProtocol === undefined ? {} : { appProtocol }),
  }));

const labelsOf = ({ metadata: { name, labels = {} } }: Endpoints): Record<string, string> => ({
  ...labels,
  [SERVICE_NAME]: name,
  [MANAGED_BY]: MIRRORED_BY,
});

function annotationsOf({ metadata: { annotations = {} } }: Endpoints): Record<string, string> {
  const { [TRIGGER_TIME]: _, [LAST_APPLIED]: __, ...others } = annotations;
  return others;
}

const endpointsIn = ({ endpoints }: Group): readonly Endpoint[] => [...endpoints.values()].slice(0, MAX_MIRRORED);

const newSlice = (group: Group, endpoints: Endpoints): NewObject<EndpointSlice> => {
  const annotations = annotationsOf(endpoints);
  const metadata = {
    generateName: `${endpoints.metadata.name}-`,
    labels: labelsOf(endpoints),
    ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
  };
  return ownedBy({ metadata, addressType: group.family, ports: group.ports, endpoints: endpointsIn(group) }, endpoints);
};

const mirrored = (slice: EndpointSlice, group: Group, endpoints: Endpoints): EndpointSlice => ({
  ...slice,
  metadata: {
    ...slice.metadata,
    labels: labelsOf(endpoints),
    annotations: annotationsOf(endpoints),
    ownerReferences: [referenceTo(endpoints)],
  },
  ports: group.ports,
  endpoints: endpointsIn(group),
});

/** Whether a slice has the endpoints, labels, annotations and owner that it is to have. */
function isRight({ metadata, endpoints }: EndpointSlice, group: Group, owner: Endpoints): boolean {
  const others = metadata.ownerReferences?.some(({ uid }) => uid !== owner.metadata.uid) === true;
  if (others || endpoints.length !== Math.min(group.endpoints.size, MAX_MIRRORED)) return false;
  return (
    sameMap(metadata.labels, labelsOf(owner)) &&
    sameMap(metadata.annotations, annotationsOf(owner)) &&
    endpoints.every((endpoint) => isSame(endpoint, group.endpoints.get(endpointKey(endpoint))))
  );
}

const sameMap = (a: Readonly<Record<string, string>> = {}, b: Readonly<Record<string, string>>): boolean => {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
};

const isSame = (a: Endpoint, b: Endpoint | undefined): boolean =>
  b !== undefined &&
  a.nodeName === b.nodeName &&
  a.conditions.ready === b.conditions.ready &&
  a.targetRef?.uid === b.targetRef?.uid &&
  a.targetRef?.kind === b.targetRef?.kind;
