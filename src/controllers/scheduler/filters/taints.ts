import type { Node } from "../../../client/kinds/index.ts";
import { type Taint, type Toleration, isTolerated } from "../../common/tolerations.ts";
import { type Demand, NODES, type Needs } from "../filter.ts";
import { topics } from "../topics.ts";

/** Taints that keep a Pod away unless it tolerates them (SCHED-8). */
export function taints({ guest: { pod } }: Needs): Demand {
  const { tolerations = [] } = pod.spec;
  return {
    on({ node }) {
      const taint = untolerated(node, tolerations, KEEPING);
      return taint && [`node(s) had untolerated taint(s) {${taint.key}${taint.value ? `: ${taint.value}` : ""}}`];
    },
    heeds: [topics.nodes],
    who: NODES,
  };
}

const KEEPING = ["NoSchedule", "NoExecute"];

/** How many taints of a node would rather have a Pod elsewhere. */
export function untoleratedWishes({ spec }: Node, tolerations: readonly Toleration[]): number {
  const wishes = (spec.taints ?? []).filter(({ effect }) => effect === "PreferNoSchedule");
  return wishes.filter((taint) => !isTolerated(taint, tolerations)).length;
}

/** The first taint of some effects that is not tolerated. */
function untolerated(
  { spec }: Node,
  tolerations: readonly Toleration[],
  effects: readonly string[],
): Taint | undefined {
  return spec.taints?.find((taint) => effects.includes(taint.effect) && !isTolerated(taint, tolerations));
}
