import { type Demand, type Needs, CAPACITY_ACTOR } from "../filter.ts";
import { topics } from "../topics.ts";
import { collides } from "../ports.ts";

const OBSTACLE = ["node(s) didn't have free ports for the requested pod ports"];

/** The host ports of a Pod must be free. */
export function freePorts({ info: { ports } }: Needs): Demand | undefined {
  if (ports.length === 0) return undefined;
  return {
    on({ pods }) {
      for (const info of pods.values()) {
        if (info.ports.some((taken) => ports.some((port) => collides(port, taken)))) return OBSTACLE;
      }
      return undefined;
    },
    waitsFor: [topics.nodes, topics.podDeleted],
    isResolvable: true,
    who: CAPACITY_ACTOR,
  };
}
