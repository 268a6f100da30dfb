/** The status of a DaemonSet (WL-DS-11). */
import type { DaemonSet, Node, Pod } from "../../client/kinds/index.ts";
import { isAvailable, isReady } from "../common/pods.ts";
import { areSameIn, counted } from "../common/status.ts";
import { fitOf } from "./fit.ts";
import { isUpdated } from "./pod.ts";

/** The Pods of a DaemonSet by their node, for nodes with Pods only. */
export type PodsByNode = ReadonlyMap<string, readonly Pod[]>;

/** Compares the Pods of a node: bound ones first, then by age and name; the first one counts (WL-DS-6). */
export function byPrecedence(a: Pod, b: Pod): number {
  const [isBoundA, isBoundB] = [Boolean(a.spec.nodeName), Boolean(b.spec.nodeName)];
  if (isBoundA !== isBoundB) return isBoundA ? -1 : 1;
  const [madeA, madeB] = [a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? ""];
  if (madeA !== madeB) return madeA < madeB ? -1 : 1;
  return a.metadata.name < b.metadata.name ? -1 : 1;
}

/** Returns the status for nodes and Pods; `conditions` stay. */
export function statusOf(
  set: DaemonSet,
  nodes: readonly Node[],
  pods: PodsByNode,
  {
    hash,
    collisionCount,
    now,
  }: { readonly hash: string; readonly collisionCount: number | undefined; readonly now: number },
): DaemonSet["status"] {
  const fit = fitOf(set.spec.template);
  let [desired, current, misscheduled, ready, available, updated] = [0, 0, 0, 0, 0, 0];
  for (const node of nodes) {
    const here = pods.get(node.metadata.name) ?? [];
    if (fit(node) !== "runs") {
      if (here.length > 0) misscheduled++;
      continue;
    }
    desired++;
    const pod = first(here);
    if (!pod) continue;
    current++;
    if (isReady(pod)) ready++;
    if (isAvailable(pod, set.spec.minReadySeconds ?? 0, now)) available++;
    if (isUpdated(set, pod, hash)) updated++;
  }
  const { conditions } = set.status;
  return {
    currentNumberScheduled: current,
    numberMisscheduled: misscheduled,
    desiredNumberScheduled: desired,
    numberReady: ready,
    observedGeneration: set.metadata.generation ?? 0,
    ...counted("updatedNumberScheduled", updated),
    ...counted("numberAvailable", available),
    ...counted("numberUnavailable", desired - available),
    ...(collisionCount === undefined ? {} : { collisionCount }),
    ...(conditions ? { conditions } : {}),
  };
}

/** The first Pod of a node; avoids sorting in the common case of one Pod. */
const first = (pods: readonly Pod[]): Pod | undefined => (pods.length > 1 ? pods.toSorted(byPrecedence)[0] : pods[0]);

const FIELDS = [
  "currentNumberScheduled",
  "numberMisscheduled",
  "desiredNumberScheduled",
  "numberReady",
  "observedGeneration",
  "updatedNumberScheduled",
  "numberAvailable",
  "numberUnavailable",
  "collisionCount",
] as const;

/** Whether a status is equal to the stored one. */
export const isSameStatus = (a: DaemonSet["status"], b: DaemonSet["status"]): boolean => areSameIn(FIELDS, a, b);
