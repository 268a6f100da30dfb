/**
 * For how long a Pod may stay on its node: as long as it bears every taint of the node that evicts (CTL-TAINT-1..5).
 *
 * @module
 */
import type { Node, Pod } from "../../../client/kinds/index.ts";
import { type Taint, tolerates } from "../../common/tolerations.ts";

/** A Pod, its node, and when it is to go; times are milliseconds of the steady clock. */
export interface Stay {
  readonly pod: Pick<Pod, "spec">;
  /** Undefined where it is not known. */
  readonly node: Pick<Node, "spec"> | undefined;
  /** When the Pod is to go, if that was said before. */
  readonly until: number | undefined;
}

/** What follows from a stay. */
export interface Plan {
  /** Whether what was said before holds no more. */
  readonly isCalledOff: boolean;
  /** When the Pod is to go: at once where that is not later than now, and never where it is undefined. */
  readonly until: number | undefined;
}

/**
 * Says when a Pod is to go. A time that was said holds for as long as some taint is borne for a time: it is not counted anew, however
 * taints and tolerations change meanwhile, and it holds when the node is gone.
 */
export function plan({ pod, node, until }: Stay, now: number): Plan {
  if (!node) return { isCalledOff: false, until };
  const patience = patienceOf(pod.spec.tolerations ?? [], evictingTaints(node));
  if (patience === "none") return { isCalledOff: until !== undefined, until: now };
  if (patience === Infinity) return { isCalledOff: until !== undefined, until: undefined };
  return { isCalledOff: false, until: until ?? now + patience * 1000 };
}

/** The taints of a node that evict Pods. */
export const evictingTaints = ({ spec }: Pick<Node, "spec">): readonly Taint[] =>
  (spec.taints ?? []).filter(({ effect }) => effect === "NoExecute");

/** For how many seconds all of some taints are borne: of each the first toleration that is meant for it counts. */
function patienceOf(tolerations: NonNullable<Pod["spec"]["tolerations"]>, taints: readonly Taint[]): number | "none" {
  let least = Infinity;
  for (const taint of taints) {
    const borne = tolerations.find((toleration) => tolerates(toleration, taint));
    if (!borne) return "none";
    least = Math.min(least, Math.max(0, borne.tolerationSeconds ?? Infinity));
  }
  return least;
}
