import { isTolerated } from "../../../workloads/nodes/tolerations.ts";
import type { View } from "../view.ts";
import { type Demand, NODE_ACTOR, type Needs } from "../filter.ts";
import { topics } from "../topics.ts";

const OBSTACLE = ["node(s) were unschedulable"];

/** A Pod must tolerate `spec.unschedulable` of a node (SCHED-9). */
export function unschedulable({ info: { pod } }: Needs, { names }: View): Demand | undefined {
  const taint = { key: names.unschedulable, effect: "NoSchedule" };
  if (isTolerated(taint, pod.spec.tolerations ?? [])) return undefined;
  return {
    on: ({ node }) => (node.spec.unschedulable ? OBSTACLE : undefined),
    waitsFor: [topics.nodes],
    who: NODE_ACTOR,
  };
}
