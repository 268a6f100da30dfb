import { type Demand, type Needs, CAPACITY_ACTOR } from "../filter.ts";
import { topics } from "../topics.ts";

const TOO_MANY = ["Too many pods"];

/** A node must have enough free resources for a Pod, and a free slot (SCHED-10). */
export function resources({ info: { requests } }: Needs): Demand {
  const asked = [...requests].filter(([, amount]) => amount > 0);
  return {
    on({ allocatable, requested, pods, maxPods }) {
      if (pods.size + 1 > maxPods) return TOO_MANY;
      let short: string[] | undefined;
      for (const [name, amount] of asked) {
        if (amount > (allocatable.get(name) ?? 0) - (requested.get(name) ?? 0))
          (short ??= []).push(`Insufficient ${name}`);
      }
      return short;
    },
    waitsFor: [topics.nodes, topics.podDeleted],
    isResolvable: true,
    who: CAPACITY_ACTOR,
  };
}
