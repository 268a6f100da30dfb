import type { Node } from "../../../client/kinds/index.ts";
import { type Taint, type Toleration, isTolerated } from "../../common/tolerations.ts";
import { type Demand, NODE_ACTOR, type Needs } from "../filter.ts";
import { topics } from "../topics.ts";

/** Taints that keep a Pod away unless it tolerates them (SCHED-8). */
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

/** How many taints of a node would rather have a Pod elsewhere. */
export function untoleratedPreferences({ spec }: Node, tolerations: readonly Toleration[]): number {
  const preferences = (spec.taints ?? []).filter(({ effect }) => effect === "PreferNoSchedule");
  return preferences.filter((taint) => !isTolerated(taint, tolerations)).length;
}

/** The first taint of some effects that is not tolerated. */
function untolerated(
  { spec }: Node,
  tolerations: readonly Toleration[],
  effects: readonly string[],
): Taint | undefined {
  return spec.taints?.find((taint) => effects.includes(taint.effect) && !isTolerated(taint, tolerations));
}
