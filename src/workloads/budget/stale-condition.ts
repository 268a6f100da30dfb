/** The condition of an evicted Pod that was never deleted: it is set back after a while. */
import { Pod as PodKind } from "../../client/kinds/index.ts";
import type { Pod } from "../../client/kinds/index.ts";
import { isFinished } from "../../claims/usage.ts";
import { formatTime } from "../../meta/time.ts";
import { type Plan, updatesStatus } from "../common/plan.ts";
import { conditionOfPod, isTerminating } from "../common/pods.ts";

/** How long a Pod that is not being deleted may have the condition. */
export const STALE_MS = 120_000;
const CONDITION = "DisruptionTarget";

/** Whether a Pod has the condition, and is neither terminating nor finished; a condition set by a node agent stays. */
export function isDisrupted(pod: Pod): boolean {
  const condition = conditionOfPod(pod, CONDITION);
  return (
    condition?.status === "True" &&
    condition.reason !== "TerminationByKubelet" &&
    !isTerminating(pod) &&
    !isFinished(pod)
  );
}

/** Plans to set the condition of a Pod to False when it is stale, or to check again when it will be. */
export function planStaleCondition(pod: Pod, now: number): Plan {
  if (!isDisrupted(pod)) return { stages: [] };
  const { lastTransitionTime } = conditionOfPod(pod, CONDITION)!;
  const left = (lastTransitionTime ? Date.parse(lastTransitionTime) : 0) + STALE_MS - now;
  if (left > 0) return { stages: [], againMillis: left };
  const { generation = 0 } = pod.metadata;
  const next = {
    type: CONDITION,
    status: "False",
    lastTransitionTime: formatTime(now),
    ...(pod.status.observedGeneration ? { observedGeneration: generation } : {}),
  };
  const conditions = (pod.status.conditions ?? []).map((one) => (one.type === CONDITION ? next : one));
  return { stages: [[updatesStatus(PodKind, { ...pod, status: { ...pod.status, conditions } })]] };
}
