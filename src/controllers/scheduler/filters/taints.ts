import type { Node } from "../../../client/kinds/index.ts";
import { type Taint, type Toleration, isTolerated } from "../../../workloads/nodes/tolerations.ts";
import { type Demand, NODE_ACTOR, type Needs } from "../filter.ts";
import { topics } from "../topics.ts";

/** A Pod must tolerate the taints of a node (SCHED-8). */
export function taints({ info: { pod } }: Needs): Demand {
  const { tolerations = [] } = pod.spec;
  return {
    on({ node }) {
      const taint = untolerated(node, tolerations, KEEPING);
      return taint && [`node(s) had untolerated taint(s) {${taint.key}${taint.value ? `: ${taint.value}` : ""}}`];
    },
    waitsFor: [topics.nodes],
    who: NODE_ACTOR,
  };
}

const KEEPING = ["NoSchedule", "NoExecute"];

/** Counts the PreferNoSchedule taints of a node that a Pod does not tolerate. */
export function untoleratedPreferences({ spec }: Node, tolerations: readonly Toleration[]): number {
  const preferences = (spec.taints ?? []).filter(({ effect }) => effect === "PreferNoSchedule");
  return preferences.filter((taint) => !isTolerated(taint, tolerations)).length;
}

/** Returns the first taint with one of the effects that is not tolerated. */
function untolerated(
  { spec }: Node,
  tolerations: readonly Toleration[],
  effects: readonly string[],
): Taint | undefined {
  return spec.taints?.find((taint) => effects.includes(taint.effect) && !isTolerated(taint, tolerations));
}
