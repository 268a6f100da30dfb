import type { Demand, Needs } from "../filter.ts";
import { topics } from "../topics.ts";

/** Each claim that waits for the Pod must find a volume on the node, or be made one there (SCHED-24..29, SCHED-36..41). */
export function delayedVolumes({ delayed }: Needs): Demand | undefined {
  if (!delayed) return undefined;
  return {
    on(node) {
      const planned = delayed.on(node);
      return "obstacle" in planned ? [planned.obstacle] : undefined;
    },
    isSelective: true,
    waitsFor: [topics.nodes, ...delayed.waitsFor],
    who: "whoever makes volumes, or nodes, that fit the classes of its claims",
  };
}
