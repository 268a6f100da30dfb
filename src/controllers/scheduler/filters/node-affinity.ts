import { type Demand, NODE_ACTOR, type Needs } from "../filter.ts";
import { topics } from "../topics.ts";
import { matcherOf } from "../../../workloads/nodes/node-selector.ts";

const OBSTACLE = ["node(s) didn't match Pod's node affinity/selector"];

/** A node must match the nodeSelector and the required node affinity of a Pod (SCHED-7). */
export function nodeAffinity({ info: { pod } }: Needs): Demand | undefined {
  const { nodeSelector = {}, affinity } = pod.spec;
  const labels = Object.entries(nodeSelector);
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (labels.length === 0 && !required) return undefined;
  const matches = required ? matcherOf(required) : (): boolean => true;
  return {
    on({ node }) {
      const has = node.metadata.labels ?? {};
      return labels.every(([key, value]) => has[key] === value) && matches(node) ? undefined : OBSTACLE;
    },
    isSelective: true,
    waitsFor: [topics.nodes],
    who: NODE_ACTOR,
  };
}
