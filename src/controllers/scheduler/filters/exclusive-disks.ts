import { conflicts } from "../disks.ts";
import { type Demand, type Needs, CAPACITY_ACTOR } from "../filter.ts";
import { topics } from "../topics.ts";

const OBSTACLE = ["node(s) had no available disk"];

/** Inline disks of two Pods on a node must not conflict (SCHED-49). */
export function exclusiveDisks({ info: { disks } }: Needs): Demand | undefined {
  if (disks.length === 0) return undefined;
  return {
    on({ pods }) {
      for (const info of pods.values()) {
        if (info.disks.some((used) => disks.some((disk) => conflicts(disk, used)))) return OBSTACLE;
      }
      return undefined;
    },
    waitsFor: [topics.nodes, topics.podDeleted],
    isResolvable: true,
    who: CAPACITY_ACTOR,
  };
}
