import { type Demand, type Needs, ROOM } from "../filter.ts";
import { topics } from "../topics.ts";
import { collides } from "../ports.ts";

const OBSTACLE = ["node(s) didn't have free ports for the requested pod ports"];

/** Ports of the node that a Pod takes must be free. */
export function freePorts({ guest: { ports } }: Needs): Demand | undefined {
  if (ports.length === 0) return undefined;
  return {
    on({ guests }) {
      for (const guest of guests.values()) {
        if (guest.ports.some((taken) => ports.some((port) => collides(port, taken)))) return OBSTACLE;
      }
      return undefined;
    },
    heeds: [topics.nodes, topics.podGone],
    isEased: true,
    who: ROOM,
  };
}
