import { isTolerated } from "../../common/tolerations.ts";
import type { View } from "../view.ts";
import { type Demand, NODES, type Needs } from "../filter.ts";
import { topics } from "../topics.ts";

const OBSTACLE = ["node(s) were unschedulable"];

/** A node that takes no new Pods, unless they tolerate that (SCHED-9). */
export function unschedulable({ guest: { pod } }: Needs, { names }: View): Demand | undefined {
  const taint = { key: names.unschedulable, effect: "NoSchedule" };
  if (isTolerated(taint, pod.spec.tolerations ?? [])) return undefined;
  return {
    on: ({ node }) => (node.spec.unschedulable ? OBSTACLE : undefined),
    heeds: [topics.nodes],
    who: NODES,
  };
}
