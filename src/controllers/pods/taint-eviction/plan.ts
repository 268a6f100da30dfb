/** How long a Pod may stay on its node: as long as it tolerates all NoExecute taints (CTL-TAINT-1..5). */
import type { Node, Pod } from "../../../client/kinds/index.ts";
import { type Taint, tolerates } from "../../../workloads/nodes/tolerations.ts";

/** A Pod, its node and its eviction time; times are of the steady clock. */
export interface PodOnNode {
  readonly pod: Pick<Pod, "spec">;
  /** Undefined where it is unknown. */
  readonly node: Pick<Node, "spec"> | undefined;
  readonly until: number | undefined;
}

/** The new eviction time. */
export interface EvictionPlan {
  /** Whether the eviction time so far is cancelled. */
  readonly isCancelled: boolean;
  /** When to evict the Pod: now where it is not later, never where it is undefined. */
  readonly until: number | undefined;
}

/**
 * Decides when to evict a Pod. An eviction time stays while a taint is tolerated for a limited time, whatever else
 * changes, and when the node is deleted.
 */
export function planEviction({ pod, node, until }: PodOnNode, now: number): EvictionPlan {
  if (!node) return { isCancelled: false, until };
  const seconds = tolerationSecondsOf(pod.spec.tolerations ?? [], evictingTaints(node));
  if (seconds === "none") return { isCancelled: until !== undefined, until: now };
  if (seconds === Infinity) return { isCancelled: until !== undefined, until: undefined };
  return { isCancelled: false, until: until ?? now + seconds * 1000 };
}

/** Returns the NoExecute taints of a node. */
export const evictingTaints = ({ spec }: Pick<Node, "spec">): readonly Taint[] =>
  (spec.taints ?? []).filter(({ effect }) => effect === "NoExecute");

/** The shortest tolerationSeconds for all taints; the first matching toleration of each taint counts. */
function tolerationSecondsOf(
  tolerations: NonNullable<Pod["spec"]["tolerations"]>,
  taints: readonly Taint[],
): number | "none" {
  let shortest = Infinity;
  for (const taint of taints) {
    const toleration = tolerations.find((one) => tolerates(one, taint));
    if (!toleration) return "none";
    shortest = Math.min(shortest, Math.max(0, toleration.tolerationSeconds ?? Infinity));
  }
  return shortest;
}
