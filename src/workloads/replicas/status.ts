/** The status of a ReplicaSet or a ReplicationController (WL-RS-6, WL-RS-7). */
import type { Pod, ReplicaSet } from "../../client/kinds/index.ts";
import { formatTime } from "../../meta/time.ts";
import { isAvailable, isReady } from "../common/pods.ts";
import { counted } from "../common/status.ts";
import type { Replicated } from "./replicated.ts";

/** The input of the counts. */
export interface Counted {
  /** Controlled Pods that have neither finished nor are terminating. */
  readonly active: readonly Pod[];
  /** Pods of the template that this plan has created. */
  readonly created: number;
  /** Controlled Pods that are terminating and have not finished. */
  readonly terminating: number;
  /** Why a Pod could not be created or deleted. */
  readonly failure: string | undefined;
  /** Whether Pods were missing. */
  readonly isShort: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

type Status = ReplicaSet["status"];
type Conditions = NonNullable<Status["conditions"]>;

const FAILURE = "ReplicaFailure";

/** Returns the status of an object; counts that are 0 are left out, except for `replicas` and `terminatingReplicas`. */
export function statusOf(object: Replicated, counts: Counted): Status {
  const { active, created, terminating, now } = counts;
  const { minReadySeconds = 0, template } = object.spec;
  const labels = Object.entries(template?.metadata?.labels ?? {});
  const count = (holds: (pod: Pod) => boolean): number => active.reduce((sum, pod) => sum + (holds(pod) ? 1 : 0), 0);
  const conditions = conditionsOf(object.status.conditions ?? [], counts);
  const { generation = 0 } = object.metadata;
  return {
    replicas: active.length + created,
    ...counted(
      "fullyLabeledReplicas",
      created + count(({ metadata }) => labels.every(([key, value]) => metadata.labels?.[key] === value)),
    ),
    ...counted("readyReplicas", count(isReady)),
    ...counted(
      "availableReplicas",
      count((pod) => isAvailable(pod, minReadySeconds, now)),
    ),
    ...(object.kind === "ReplicaSet" ? { terminatingReplicas: terminating } : {}),
    ...counted("observedGeneration", generation),
    ...(conditions.length > 0 ? { conditions } : {}),
  };
}

/** The first failure stays as it is while there is one (WL-RS-7). */
function conditionsOf(conditions: Conditions, { failure, isShort, now }: Counted): Conditions {
  const isThere = conditions.some(({ type }) => type === FAILURE);
  if (failure === undefined) return isThere ? conditions.filter(({ type }) => type !== FAILURE) : conditions;
  if (isThere) return conditions;
  const added = {
    type: FAILURE,
    status: "True",
    lastTransitionTime: formatTime(now),
    reason: isShort ? "FailedCreate" : "FailedDelete",
    message: failure,
  };
  return [...conditions, added];
}
