/** Packs endpoints with the same ports into slices, with as few changed slices as possible (WL-EP-5). */
import type { EndpointSlice } from "../../client/kinds/index.ts";
import { type Endpoint, MAX_ENDPOINTS, endpointKey } from "./endpoint.ts";

/** A slice that stays, with its endpoints. */
export interface Packed {
  readonly slice: EndpointSlice;
  readonly endpoints: readonly Endpoint[];
  readonly hasChanged: boolean;
}

/** The slices of some endpoints. */
export interface Packing {
  readonly kept: readonly Packed[];
  /** Slices without a desired endpoint. */
  readonly emptied: readonly EndpointSlice[];
  /** The endpoints of new slices. */
  readonly created: readonly (readonly Endpoint[])[];
}

/**
 * Packs endpoints: each stays in its slice. New ones go into slices that change anyway, the fullest first; the rest goes into one
 * unchanged slice that has space for all of it, or into new ones. Slices are not merged.
 */
export function pack(slices: readonly EndpointSlice[], wanted: ReadonlyMap<string, Endpoint>): Packing {
  const left = new Map(wanted);
  const changed: { slice: EndpointSlice; endpoints: Endpoint[] }[] = [];
  const unchanged: EndpointSlice[] = [];
  const emptied: EndpointSlice[] = [];
  for (const slice of slices) {
    const endpoints = taken(slice, left);
    if (isSame(slice.endpoints, endpoints)) unchanged.push(slice);
    else if (endpoints.length === 0) emptied.push(slice);
    else changed.push({ slice, endpoints });
  }
  // The result does not depend on the order of the informer.
  const rest = [...left].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, endpoint]) => endpoint);
  let at = 0;
  const fill = (endpoints: Endpoint[]): void => {
    while (at < rest.length && endpoints.length < MAX_ENDPOINTS) endpoints.push(rest[at++]!);
  };
  for (const { endpoints } of changed.toSorted((a, b) => b.endpoints.length - a.endpoints.length)) fill(endpoints);
  const created: Endpoint[][] = [];
  while (at < rest.length) {
    const roomy = roomiestFor(unchanged, rest.length - at);
    const endpoints = roomy ? [...roomy.endpoints] : [];
    fill(endpoints);
    if (roomy) {
      unchanged.splice(unchanged.indexOf(roomy), 1);
      changed.push({ slice: roomy, endpoints });
    } else created.push(endpoints);
  }
  const kept = [
    ...changed.map((one): Packed => ({ ...one, hasChanged: true })),
    ...unchanged.map((slice): Packed => ({ slice, endpoints: slice.endpoints, hasChanged: false })),
  ];
  return { kept, emptied, created };
}

/** Takes the desired endpoints of a slice, in their desired state. */
function taken({ endpoints }: EndpointSlice, left: Map<string, Endpoint>): Endpoint[] {
  return endpoints.flatMap((endpoint) => {
    const key = endpointKey(endpoint);
    const found = left.get(key);
    left.delete(key);
    return found ?? [];
  });
}

/** The fullest slice that has space for so many more endpoints; undefined where none has. */
function roomiestFor(slices: readonly EndpointSlice[], count: number): EndpointSlice | undefined {
  let best: EndpointSlice | undefined;
  for (const slice of slices) {
    const { length } = slice.endpoints;
    if (length + count <= MAX_ENDPOINTS && length > (best?.endpoints.length ?? -1)) best = slice;
  }
  return best;
}

const isSame = (a: readonly Endpoint[], b: readonly Endpoint[]): boolean =>
  a.length === b.length && a.every((endpoint, i) => isSameEndpoint(endpoint, b[i]!));

/** Whether two endpoints with the same key are equal apart from their hints. */
function isSameEndpoint(a: Endpoint, b: Endpoint): boolean {
  return (
    a.nodeName === b.nodeName &&
    a.zone === b.zone &&
    a.conditions.ready === b.conditions.ready &&
    a.conditions.serving === b.conditions.serving &&
    a.conditions.terminating === b.conditions.terminating &&
    a.targetRef?.kind === b.targetRef?.kind &&
    a.targetRef?.uid === b.targetRef?.uid
  );
}
