/** Hints of endpoints: which zones or nodes should use them, where the Service has `trafficDistribution`. */
import type { Service } from "../../client/kinds/index.ts";
import type { Endpoint } from "./endpoint.ts";

/** How the endpoints of a Service are hinted. */
export interface Hinting {
  /** Whether endpoints of a slice that is otherwise up to date have wrong hints. */
  isStale(endpoints: readonly Endpoint[]): boolean;
  /** An endpoint with its hints. */
  hinted(endpoint: Endpoint): Endpoint;
}

const BY_ZONE = new Set(["PreferClose", "PreferSameZone", "PreferSameNode"]);

/** Returns the hinting of a Service: its zone, and with `PreferSameNode` its node, for each ready endpoint. */
export function hintingOf({ spec: { trafficDistribution = "" } }: Service): Hinting {
  const withZones = BY_ZONE.has(trafficDistribution);
  const withNodes = trafficDistribution === "PreferSameNode";
  const hintsOf = ({ zone, nodeName }: Endpoint): Endpoint["hints"] => {
    const zones = withZones && zone ? { forZones: [{ name: zone }] } : {};
    const nodes = withNodes && nodeName ? { forNodes: [{ name: nodeName }] } : {};
    const hints = { ...zones, ...nodes };
    return Object.keys(hints).length > 0 ? hints : undefined;
  };
  const isRight = (endpoint: Endpoint): boolean => {
    // An endpoint that is not ready keeps its hints.
    if (withZones && endpoint.conditions.ready !== true) return true;
    return sameHints(endpoint.hints, hintsOf(endpoint));
  };
  return {
    isStale: (endpoints) => endpoints.some((endpoint) => !isRight(endpoint)),
    hinted(endpoint) {
      const { hints: _, ...plain } = endpoint;
      const hints = endpoint.conditions.ready === true ? hintsOf(endpoint) : undefined;
      return hints ? { ...plain, hints } : plain;
    },
  };
}

function sameHints(a: Endpoint["hints"], b: Endpoint["hints"]): boolean {
  const { forZones: zonesOfA = [], forNodes: nodesOfA = [] } = a ?? {};
  const { forZones: zonesOfB = [], forNodes: nodesOfB = [] } = b ?? {};
  return sameNames(zonesOfA, zonesOfB) && sameNames(nodesOfA, nodesOfB);
}

const sameNames = (a: readonly { readonly name: string }[], b: readonly { readonly name: string }[]): boolean =>
  a.length === b.length && a.every(({ name }, i) => name === b[i]!.name);
