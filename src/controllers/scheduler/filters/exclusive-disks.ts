import { conflicts } from "../disks.ts";
import { type Demand, type Needs, ROOM } from "../filter.ts";
import { topics } from "../topics.ts";

const OBSTACLE = ["node(s) had no available disk"];

/** Disks that are described in Pods are not used twice where that would do harm (SCHED-49). */
export function exclusiveDisks({ guest: { disks } }: Needs): Demand | undefined {
  if (disks.length === 0) return undefined;
  return {
    on({ guests }) {
      for (const guest of guests.values()) {
        if (guest.disks.some((used) => disks.some((disk) => conflicts(disk, used)))) return OBSTACLE;
      }
      return undefined;
    },
    heeds: [topics.nodes, topics.podGone],
    isEased: true,
    who: ROOM,
  };
}
