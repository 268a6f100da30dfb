import type { Slice } from "../../util/loop.ts";
import type { PodInfo } from "./pod-info.ts";
import type { Evaluation } from "./evaluation.ts";
import { type NodeView, without } from "./node-state.ts";
import type { View } from "./view.ts";

/** The victims, and their node. */
export interface Preemption {
  readonly node: string;
  /** The lowest priority first. */
  readonly victims: readonly PodInfo[];
}

/** Whether a Pod may preempt others. */
export const mayPreempt = ({ pod }: PodInfo): boolean => pod.spec.preemptionPolicy !== "Never";

/**
 * Which Pods of a lower priority must be evicted so that a Pod fits, on the node with the least harm (SCHED-47,
 * SCHED-48). Undefined where no eviction helps.
 */
export async function preemptionFor(evaluation: Evaluation, view: View, limit: Slice): Promise<Preemption | undefined> {
  const { info } = evaluation;
  if (evaluation.everywhere || !mayPreempt(info) || isAwaited(info, view)) return undefined;
  let found: Preemption | undefined;
  for (const node of view.nodes) {
    // oxlint-disable-next-line no-await-in-loop -- others have their turns between two nodes
    if (limit.isOver) await limit.pause();
    if (!node.isThere) continue;
    const victims = victimsOn(evaluation, node);
    if (victims && (!found || harm(victims) < harm(found.victims) || isLess(victims, found.victims))) {
      found = { node: node.name, victims };
    }
  }
  return found;
}

/** Whether victims of an earlier preemption are still terminating. */
export function isAwaited({ pod, priority }: PodInfo, view: View): boolean {
  const node = view.node(pod.status?.nominatedNodeName ?? "");
  const pods = [...(node?.pods.values() ?? [])];
  return pods.some((info) => info.priority < priority && info.pod.metadata.deletionTimestamp !== undefined);
}

/** Returns the fewest victims on a node; the most important Pods are kept. */
function victimsOn(evaluation: Evaluation, node: NodeView): readonly PodInfo[] | undefined {
  const { priority } = evaluation.info;
  // A Pod that is not bound yet cannot be evicted.
  const lower = [...node.pods.values()].filter((info) => info.priority < priority && info.pod.spec.nodeName);
  if (lower.length === 0 || !evaluation.isResolvableOn(node)) return undefined;
  const gone = new Set(lower.map(({ uid }) => uid));
  if (evaluation.obstaclesOn(without(node, gone))) return undefined;
  for (const info of lower.toSorted(byImportance)) {
    gone.delete(info.uid);
    if (evaluation.obstaclesOn(without(node, gone))) gone.add(info.uid);
  }
  const victims = lower.filter(({ uid }) => gone.has(uid)).toSorted((a, b) => byImportance(b, a));
  return victims.length > 0 ? victims : undefined;
}

/** Higher priority first, then older. */
const byImportance = (a: PodInfo, b: PodInfo): number =>
  b.priority - a.priority || (a.pod.metadata.creationTimestamp < b.pod.metadata.creationTimestamp ? -1 : 1);

const harm = (victims: readonly PodInfo[]): number => Math.max(...victims.map(({ priority }) => priority));

const isLess = (a: readonly PodInfo[], b: readonly PodInfo[]): boolean => harm(a) === harm(b) && a.length < b.length;
