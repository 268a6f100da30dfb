/**
 * For how long a Pod may podOnNode on its node: as long as it bears every taint of the node that evicts (CTL-TAINT-1..5).
 *
 * @module
 */
import type { Node, Pod } from "../../../client/kinds/index.ts";
import { type Taint, tolerates } from "../../common/tolerations.ts";

/** A Pod, its node, and when it is to go; times are milliseconds of the steady clock. */
export interface PodOnNode {
  readonly pod: Pick<Pod, "spec">;
  /** Undefined where it is not known. */
  readonly node: Pick<Node, "spec"> | undefined;
  /** When the Pod is to go, if that was said before. */
  readonly until: number | undefined;
}

/** What follows from a podOnNode. */
export interface EvictionPlan {
  /** Whether what was said before holds no more. */
  readonly isCancelled: boolean;
  /** When the Pod is to go: at once where that is not later than now, and never where it is undefined. */
  readonly until: number | undefined;
}

/**
 * Says when a Pod is to go. A time that was said holds for as long as some taint is toleration for a time: it is not counted anew, however
 * taints and tolerations change meanwhile, and it holds when the node is gone.
 */
export function planEviction({ pod, node, until }: PodOnNode, now: number): EvictionPlan {
  if (!node) return { isCancelled: false, until };
  const seconds = tolerationSecondsOf(pod.spec.tolerations ?? [], evictingTaints(node));
  if (seconds === "none") return { isCancelled: until !== undefined, until: now };
  if (seconds === Infinity) return { isCancelled: until !== undefined, until: undefined };
  return { isCancelled: false, until: until ?? now + seconds * 1000 };
}

/** The taints of a node that evict Pods. */
export const evictingTaints = ({ spec }: Pick<Node, "spec">): readonly Taint[] =>
  (spec.taints ?? []).filter(({ effect }) => effect === "NoExecute");

/** For how many seconds all of some taints are toleration: of each the first toleration that is meant for it counts. */
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
