import type { Pod } from "../../../client/kinds/index.ts";
import type { Demand, Needs } from "../filter.ts";
import { isOfUnknownNamespaces, requiredAntiAffinity, requiredAffinity } from "../pod-terms.ts";

/** A Pod with fields that this scheduler does not support is not scheduled on any node. */
export function unsupportedFields({ info: { pod } }: Needs): Demand | undefined {
  const asked = membersOf(pod);
  if (asked.length === 0) return undefined;
  const everywhere = asked.map((member) => `this scheduler does not look at ${member}`);
  return { everywhere, waitsFor: [], who: "a user who sets spec.schedulerName to a scheduler that supports them" };
}

function membersOf(pod: Pod): readonly string[] {
  const { resourceClaims = [], workloadRef } = pod.spec;
  const isAsked: Readonly<Record<string, boolean>> = {
    "spec.resourceClaims": resourceClaims.length > 0,
    "spec.workloadRef": workloadRef !== undefined,
    "namespaceSelector of spec.affinity": [...requiredAffinity(pod), ...requiredAntiAffinity(pod)].some(
      isOfUnknownNamespaces,
    ),
  };
  return Object.keys(isAsked).filter((member) => isAsked[member]);
}
