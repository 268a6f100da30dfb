/** Conditions of a Deployment (WL-DEP-21..23). */
import type { Deployment } from "../../client/kinds/index.ts";
import { transitionTime } from "../../meta/conditions.ts";
import { formatTime } from "../../meta/time.ts";

/** The conditions of a Deployment. */
export type Conditions = NonNullable<Deployment["status"]["conditions"]>;
/** A condition of a Deployment. */
export type Condition = Conditions[number];

/** The condition that reports the progress of a rollout. */
export const PROGRESSING = "Progressing";
/** The condition that reports whether enough Pods are available. */
export const AVAILABLE = "Available";
/** The condition that reports why Pods could not be created or deleted. */
export const FAILURE = "ReplicaFailure";

/** The status, reason and message of a condition. */
export type Said = Pick<Condition, "type" | "reason" | "message"> & { readonly status: "True" | "False" | "Unknown" };

/** Returns a condition. */
export const conditionIn = (conditions: Conditions, type: string): Condition | undefined =>
  conditions.find((condition) => condition.type === type);

/** Returns all conditions except one. */
export const withoutCondition = (conditions: Conditions, type: string): Conditions =>
  conditionIn(conditions, type) ? conditions.filter((condition) => condition.type !== type) : conditions;

/** Creates a condition; its times are now, except for the last transition where its status stays the same. */
export function newCondition(conditions: Conditions, said: Said, now: number): Condition {
  const before = conditionIn(conditions, said.type);
  const time = formatTime(now);
  const { type, status, reason, message } = said;
  return {
    type,
    status,
    lastUpdateTime: time,
    lastTransitionTime: transitionTime(before, status, time),
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
  };
}

/** Sets a condition; an existing one with the same status and reason stays as it is. */
export function withCondition(conditions: Conditions, said: Said, now: number): Conditions {
  const before = conditionIn(conditions, said.type);
  if (before?.status === said.status && before.reason === said.reason) return conditions;
  return [...withoutCondition(conditions, said.type), newCondition(conditions, said, now)];
}
