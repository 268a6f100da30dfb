import { type Demand, type Needs, VOLUME_ACTOR } from "../filter.ts";
import { topics } from "../topics.ts";
import { canReach } from "../reachable-volumes.ts";

const MISSING = ["node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"];
const OBSTACLE = ["node(s) didn't match PersistentVolume's node affinity"];

/** A node must reach every bound volume of a Pod (SCHED-18, SCHED-19, SCHED-22, SCHED-23). */
export function boundVolumes({ claims: { bound, waitsFor } }: Needs): Demand | undefined {
  if (bound.length === 0) return undefined;
  const volumes = bound.flatMap(({ volume }) => volume ?? []);
  const isMissing = volumes.length < bound.length;
  const limiting = volumes.filter(({ spec }) => spec.nodeAffinity?.required);
  if (!isMissing && limiting.length === 0) return undefined;
  const names = bound.map(({ claim }) => topics.volume(claim.spec.volumeName ?? ""));
  return {
    on({ node }) {
      if (isMissing) return MISSING;
      return limiting.every((volume) => canReach(node, volume)) ? undefined : OBSTACLE;
    },
    isSelective: true,
    waitsFor: [topics.nodes, ...names, ...waitsFor],
    who: VOLUME_ACTOR,
  };
}
