import type { Demand, Needs } from "../filter.ts";
import { topics } from "../topics.ts";

/** Each delayed claim must get an existing or a new volume on the node (SCHED-24..29, SCHED-36..41). */
export function delayedVolumes({ delayed }: Needs): Demand | undefined {
  if (!delayed) return undefined;
  return {
    on(node) {
      const planned = delayed.on(node);
      return "obstacle" in planned ? [planned.obstacle] : undefined;
    },
    isSelective: true,
    waitsFor: [topics.nodes, ...delayed.waitsFor],
    who: "an administrator who adds volumes or nodes that fit the classes of its claims",
  };
}
