/** The status of a Deployment: counts, and the progress of a rollout (WL-DEP-20..23). */
import type { Deployment } from "../../client/kinds/index.ts";
import { transitionTime } from "../../meta/conditions.ts";
import { parseTime } from "../../meta/time.ts";
import { counted } from "../common/status.ts";
import {
  AVAILABLE,
  type Condition,
  type Conditions,
  FAILURE,
  PROGRESSING,
  conditionIn,
  newCondition,
  withCondition,
  withoutCondition,
} from "./conditions.ts";
import type { Sets } from "./scaling.ts";
import { type SetDraft, sizeOf } from "./set-draft.ts";
import { maxUnavailable, wantedBy } from "./shares.ts";

/** The status of a Deployment. */
export type Status = Deployment["status"];

/** A deadline that never passes. */
const NEVER = 2 ** 31 - 1;

const REASONS = {
  complete: "NewReplicaSetAvailable",
  created: "NewReplicaSetCreated",
  found: "FoundNewReplicaSet",
  failed: "ReplicaSetCreateError",
  moving: "ReplicaSetUpdated",
  late: "ProgressDeadlineExceeded",
  paused: "DeploymentPaused",
  resumed: "DeploymentResumed",
} as const;

/** The time within which a rollout has to make progress, in milliseconds; undefined where there is no limit. */
function deadlineOf({ spec: { progressDeadlineSeconds: seconds } }: Deployment): number | undefined {
  return seconds === undefined || seconds === NEVER ? undefined : seconds * 1000;
}

/** Records that a Deployment was paused or resumed, so that its deadline does not pass meanwhile. */
export function pausedConditions(deployment: Deployment, conditions: Conditions, now: number): Conditions {
  const { reason } = conditionIn(conditions, PROGRESSING) ?? {};
  if (deadlineOf(deployment) === undefined || reason === REASONS.late) return conditions;
  const { paused = false } = deployment.spec;
  if (paused === (reason === REASONS.paused)) return conditions;
  const said = paused
    ? { reason: REASONS.paused, message: "Deployment is paused" }
    : { reason: REASONS.resumed, message: "Deployment is resumed" };
  return withCondition(conditions, { type: PROGRESSING, status: "Unknown", ...said }, now);
}

/** Records that the ReplicaSet of the template in the spec was created. */
export const createdConditions = (
  deployment: Deployment,
  conditions: Conditions,
  name: string,
  now: number,
): Conditions =>
  deadlineOf(deployment) === undefined
    ? conditions
    : withCondition(conditions, progress("True", REASONS.created, `Created new replica set "${name}"`), now);

/** Records that the ReplicaSet of the template in the spec exists, unless the condition exists already. */
export const foundConditions = (
  deployment: Deployment,
  conditions: Conditions,
  name: string,
  now: number,
): Conditions =>
  deadlineOf(deployment) === undefined || conditionIn(conditions, PROGRESSING)
    ? conditions
    : withCondition(conditions, progress("True", REASONS.found, `Found new replica set "${name}"`), now);

/** Records that the ReplicaSet of the template in the spec could not be created. */
export const failedConditions = (
  deployment: Deployment,
  conditions: Conditions,
  why: string,
  now: number,
): Conditions =>
  deadlineOf(deployment) === undefined
    ? conditions
    : withCondition(conditions, progress("False", REASONS.failed, why), now);

/** The reason of the Event for a ReplicaSet that could not be created. */
export const CREATE_ERROR = REASONS.failed;

const progress = <S extends "True" | "False">(status: S, reason: string, message: string) => ({
  type: PROGRESSING,
  status,
  reason,
  message,
});

/** The counts of a Deployment, and whether enough Pods are available (WL-DEP-20, WL-DEP-21). */
export function plainStatus(deployment: Deployment, conditions: Conditions, sets: Sets, now: number): Status {
  const all = sets.current ? [...sets.old, sets.current] : sets.old;
  const sum = (count: (status: SetStatus) => number | undefined): number => all.reduce(add(count), 0);
  const available = sum(({ availableReplicas }) => availableReplicas);
  const terminating = terminatingOf(all);
  const { collisionCount } = deployment.status;
  const isEnough = available >= wantedBy(deployment) - maxUnavailable(deployment);
  const said = isEnough
    ? ({ status: "True", reason: "MinimumReplicasAvailable", message: "Deployment has minimum availability." } as const)
    : ({
        status: "False",
        reason: "MinimumReplicasUnavailable",
        message: "Deployment does not have minimum availability.",
      } as const);
  return {
    ...counted("observedGeneration", deployment.metadata.generation),
    ...counted(
      "replicas",
      sum(({ replicas }) => replicas),
    ),
    ...counted("updatedReplicas", sets.current?.replicas),
    ...counted(
      "readyReplicas",
      sum(({ readyReplicas }) => readyReplicas),
    ),
    ...counted("availableReplicas", available),
    ...counted("unavailableReplicas", Math.max(0, sizeOf(all) - available)),
    ...(terminating === undefined ? {} : { terminatingReplicas: terminating }),
    conditions: withCondition(conditions, { type: AVAILABLE, ...said }, now),
    ...(collisionCount === undefined ? {} : { collisionCount }),
  };
}

type SetStatus = NonNullable<SetDraft["stored"]>["status"];

const add =
  (count: (status: SetStatus) => number | undefined) =>
  (sum: number, { stored }: SetDraft): number =>
    sum + (stored ? (count(stored.status) ?? 0) : 0);

/** The terminating Pods; undefined where a counted ReplicaSet does not report its own. */
function terminatingOf(sets: readonly SetDraft[]): number | undefined {
  const seen = sets.flatMap(({ stored }) => (stored?.status.observedGeneration ? [stored.status] : []));
  if (seen.some(({ terminatingReplicas }) => terminatingReplicas === undefined)) return undefined;
  return seen.reduce((sum, { terminatingReplicas = 0 }) => sum + terminatingReplicas, 0);
}

/** Whether all desired Pods are updated and available, and no others exist. */
export function isComplete(deployment: Deployment, status: Status): boolean {
  const wanted = wantedBy(deployment);
  const { updatedReplicas = 0, replicas = 0, availableReplicas = 0, observedGeneration = 0 } = status;
  const counts = [updatedReplicas, replicas, availableReplicas];
  return counts.every((count) => count === wanted) && observedGeneration >= (deployment.metadata.generation ?? 0);
}

/** The status of a rollout: the counts, its progress, and the failures of ReplicaSets (WL-DEP-22, WL-DEP-23). */
export function rolloutStatus(deployment: Deployment, conditions: Conditions, sets: Sets, now: number): Status {
  const status = plainStatus(deployment, conditions, sets, now);
  const said = withProgress(deployment, conditions, status, sets, now);
  return { ...status, conditions: withFailure(said, sets) };
}

function withProgress(
  deployment: Deployment,
  before: Conditions,
  status: Status,
  { current }: Sets,
  now: number,
): Conditions {
  const { conditions = [] } = status;
  if (deadlineOf(deployment) === undefined) return withoutCondition(conditions, PROGRESSING);
  const known = conditionIn(before, PROGRESSING);
  const isOver = known?.reason === REASONS.complete && (status.replicas ?? 0) === (status.updatedReplicas ?? 0);
  if (isOver) return conditions;
  const what = current ? `ReplicaSet "${current.name}"` : `Deployment "${deployment.metadata.name}"`;
  if (isComplete(deployment, status)) {
    return withCondition(conditions, progress("True", REASONS.complete, `${what} has successfully progressed.`), now);
  }
  if (hasMoved(deployment.status, status)) {
    const moved = newCondition(conditions, progress("True", REASONS.moving, `${what} is progressing.`), now);
    return [...withoutCondition(conditions, PROGRESSING), moved];
  }
  if (!isLate(deployment, known, now)) return conditions;
  return withCondition(conditions, progress("False", REASONS.late, `${what} has timed out progressing.`), now);
}

/** Whether there are more new, ready or available Pods than before, or fewer old ones. */
function hasMoved(before: Status, now: Status): boolean {
  const old = ({ replicas = 0, updatedReplicas = 0 }: Status): number => replicas - updatedReplicas;
  return (
    (now.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    old(now) < old(before) ||
    (now.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (now.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  );
}

/** Whether the rollout has made no progress until the deadline. */
function isLate(deployment: Deployment, known: Condition | undefined, now: number): boolean {
  const at = dueAt(deployment, known);
  return known?.reason === REASONS.late || (at !== undefined && at < now);
}

/** When the deadline passes, in milliseconds since the epoch; undefined where there is none. */
function dueAt(deployment: Deployment, known: Condition | undefined): number | undefined {
  const deadline = deadlineOf(deployment);
  if (deadline === undefined || !known || known.reason === REASONS.complete || known.reason === REASONS.late) {
    return undefined;
  }
  const since = known.lastUpdateTime ? parseTime(known.lastUpdateTime) : undefined;
  return since === undefined ? undefined : since + deadline;
}

/** Milliseconds until the deadline of a rollout passes; undefined where there is none. */
export function deadlineMillis(deployment: Deployment, status: Status, now: number): number | undefined {
  if (isComplete(deployment, status)) return undefined;
  const at = dueAt(deployment, conditionIn(status.conditions ?? [], PROGRESSING));
  return at === undefined ? undefined : Math.max(1, at + 1 - now);
}

/** Copies the failure of a ReplicaSet, that of the template in the spec first (WL-DEP-23). */
function withFailure(conditions: Conditions, { current, old }: Sets): Conditions {
  const sets = current ? [current, ...old] : old;
  const found = sets.flatMap(({ stored }) => stored?.status.conditions ?? []).find(({ type }) => type === FAILURE);
  if (!found) return withoutCondition(conditions, FAILURE);
  const before = conditionIn(conditions, FAILURE);
  if (before?.status === found.status && before.reason === found.reason) return conditions;
  const { type, status, lastTransitionTime = null, reason, message } = found;
  const failure = {
    type,
    status,
    lastUpdateTime: lastTransitionTime,
    lastTransitionTime: transitionTime(before, status, lastTransitionTime),
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
  };
  return [...withoutCondition(conditions, FAILURE), failure];
}
