import type { CSINode } from "../../../client/kinds/index.ts";
import type { View } from "../view.ts";
import { type Demand, type Needs, CAPACITY_ACTOR } from "../filter.ts";
import { topics } from "../topics.ts";
import type { NodeView } from "../node-state.ts";
import { type CountedVolume, countedOf, diskOf } from "../volume-count.ts";

const OBSTACLE = ["node(s) exceed max volume count"];

/** The number of volumes of each driver on a node must not exceed the limit in its CSINode (SCHED-42..45). */
export function volumeLimits(needs: Needs, view: View): Demand | undefined {
  const { claims } = needs;
  if (claims.bound.length + claims.delayed.length === 0) return undefined;
  return {
    on(node) {
      const limits = limitsOf(node.csiNode);
      if (limits.size === 0) return undefined;
      const added = addedBy(needs, node, view);
      if (!added.some(({ driver }) => limits.has(driver))) return undefined;
      const there = view.volumesOn(node);
      for (const [driver, limit] of limits) {
        const had = there.get(driver) ?? NONE;
        const more = new Set(added.filter((one) => one.driver === driver && !had.has(one.id)).map(({ id }) => id));
        if (more.size > 0 && had.size + more.size > limit) return OBSTACLE;
      }
      return undefined;
    },
    waitsFor: [topics.nodes, topics.podDeleted, topics.limits, ...claims.waitsFor],
    isResolvable: true,
    who: CAPACITY_ACTOR,
  };
}

const NONE: ReadonlySet<string> = new Set();
const UNLIMITED: ReadonlyMap<string, number> = new Map();
const read = new WeakMap<CSINode, ReadonlyMap<string, number>>();

/** The limit of each driver on a node; drivers without a limit are absent (SCHED-44). */
function limitsOf(csiNode: CSINode | undefined): ReadonlyMap<string, number> {
  if (!csiNode) return UNLIMITED;
  const known = read.get(csiNode);
  if (known) return known;
  const limited = (csiNode.spec.drivers ?? []).flatMap(({ name, allocatable }) => {
    const count = allocatable?.count;
    return count === undefined ? [] : [[name, count] as const];
  });
  const limits = new Map(limited);
  read.set(csiNode, limits);
  return limits;
}

function addedBy({ claims, delayed }: Needs, node: NodeView, view: View): readonly CountedVolume[] {
  const planned = delayed?.on(node);
  const given = new Map(
    (planned && "plan" in planned ? planned.plan.matched : []).map(({ claim, volume }) => [claim, volume]),
  );
  const bound = claims.bound.map(({ volume }) => volume && diskOf(volume, node.csiNode, view));
  const waiting = claims.delayed.map((claim) => {
    const volume = given.get(claim);
    return volume ? diskOf(volume, node.csiNode, view) : countedOf(claim, node.csiNode, view);
  });
  return [...bound, ...waiting].filter((one) => one !== undefined);
}
