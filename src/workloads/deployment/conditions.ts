/** Conditions of a Deployment (WL-DEP-21..23). */
import type { Deployment } from "../../client/kinds/index.ts";
import { transitionTime } from "../../meta/conditions.ts";
import { formatTime } from "../../meta/time.ts";

/** The conditions of a Deployment. */
export type Conditions = NonNullable<Deployment["status"]["conditions"]>;
/** A condition of a Deployment. */
export type Condition = Conditions[number];

/** The condition that says how a rollout goes. */
export const PROGRESSING = "Progressing";
/** The condition that says whether enough Pods are available. */
export const AVAILABLE = "Available";
/** The condition that says why Pods could not be made or deleted. */
export const FAILURE = "ReplicaFailure";

/** What a condition says. */
export type Said = Pick<Condition, "type" | "reason" | "message"> & { readonly status: "True" | "False" | "Unknown" };

/** Returns a condition. */
export const conditionIn = (conditions: Conditions, type: string): Condition | undefined =>
  conditions.find((condition) => condition.type === type);

/** Returns the conditions without one. */
export const withoutCondition = (conditions: Conditions, type: string): Conditions =>
  conditionIn(conditions, type) ? conditions.filter((condition) => condition.type !== type) : conditions;

/** Creates a condition; its times are now, but for that of its last transition where its status stays the same. */
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

/** Sets a condition; one with the same status and reason stays as it is. */
export function withCondition(conditions: Conditions, said: Said, now: number): Conditions {
  const before = conditionIn(conditions, said.type);
  if (before?.status === said.status && before.reason === said.reason) return conditions;
  return [...withoutCondition(conditions, said.type), newCondition(conditions, said, now)];
}
