import type { Demand, Needs } from "../filter.ts";
import { topics } from "../topics.ts";

/** Each claim that waits for the Pod must find a volume on the node, or be made one there (SCHED-24..29, SCHED-36..41). */
export function lateVolumes({ late }: Needs): Demand | undefined {
  if (!late) return undefined;
  return {
    on(node) {
      const planned = late.on(node);
      return "obstacle" in planned ? [planned.obstacle] : undefined;
    },
    isNarrow: true,
    heeds: [topics.nodes, ...late.heeds],
    who: "whoever makes volumes, or nodes, that fit the classes of its claims",
  };
}
