/** The status of a StatefulSet (WL-STS-14). */
import type { Pod, StatefulSet } from "../../client/kinds/index.ts";
import { isAvailable, isReady, isTerminating } from "../common/pods.ts";
import { areSameIn, counted } from "../common/status.ts";
import { replicasOf } from "./names.ts";
import { revisionOf } from "./pod.ts";

/** The names of the current revision and of the one of the template in the spec. */
export interface RevisionNames {
  readonly current: string;
  readonly update: string;
}

/** Whether a Pod is running and ready. */
export const isRunningAndReady = (pod: Pod): boolean => pod.status.phase === "Running" && isReady(pod);

/**
 * Returns the status for some Pods. A RollingUpdate is complete when all Pods have the update revision and are ready: it becomes the current
 * revision then (WL-STS-5).
 *
 * @param deleted the number of Pods that are deleted now for an update
 */
export function statusOf(
  { metadata, spec, ...set }: StatefulSet,
  pods: readonly Pod[],
  { current, update }: RevisionNames,
  { collisionCount, now, deleted }: { readonly collisionCount: number; readonly now: number; readonly deleted: number },
): StatefulSet["status"] {
  const ready = pods.filter(isRunningAndReady);
  const available = ready.filter((pod) => isAvailable(pod, spec.minReadySeconds ?? 0, now));
  const staying = pods.filter((pod) => !isTerminating(pod));
  const ofRevision = (name: string): number => staying.filter((pod) => revisionOf(pod) === name).length;
  const updated = ofRevision(update);
  const replicas = replicasOf({ metadata, spec, ...set });
  const isComplete =
    spec.updateStrategy.type === "RollingUpdate" &&
    [updated, ready.length, pods.length].every((count) => count === replicas);
  const currentReplicas = isComplete ? updated : ofRevision(current) - deleted;
  return {
    observedGeneration: metadata.generation ?? 0,
    replicas: pods.length,
    ...counted("readyReplicas", ready.length),
    ...counted("currentReplicas", currentReplicas),
    ...counted("updatedReplicas", updated),
    currentRevision: isComplete ? update : current,
    updateRevision: update,
    collisionCount,
    availableReplicas: available.length,
  };
}

const FIELDS = [
  "observedGeneration",
  "replicas",
  "readyReplicas",
  "currentReplicas",
  "updatedReplicas",
  "currentRevision",
  "updateRevision",
  "collisionCount",
  "availableReplicas",
] as const;

/** Whether a status is equal to the stored one. */
export const isSameStatus = (a: StatefulSet["status"], b: StatefulSet["status"]): boolean => areSameIn(FIELDS, a, b);
