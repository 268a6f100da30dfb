/** Conditions in the status of objects. */
import type { ApiObject } from "../client/index.ts";
import type { Condition } from "../client/kinds/index.ts";
import { formatTime } from "../meta/time.ts";

/** Returns the conditions of an object. */
export function conditionsOf(object: ApiObject): readonly Condition[] {
  const { status } = object as { readonly status?: { readonly conditions?: readonly Condition[] } };
  return status?.conditions ?? [];
}

/** Returns the condition of a type; undefined where there is none. */
export const conditionOf = (object: ApiObject, type: string): Condition | undefined =>
  conditionsOf(object).find((condition) => condition.type === type);

/** The desired values of a condition. */
export interface NewCondition {
  readonly type: string;
  readonly status: boolean | "Unknown";
  readonly reason: string;
  readonly message: string;
}

/** Returns a condition; lastTransitionTime changes with `status` only. */
export function nextCondition(
  object: ApiObject,
  { type, status, reason, message }: NewCondition,
  now: number,
): Condition {
  const said = status === "Unknown" ? status : status ? "True" : "False";
  const before = conditionOf(object, type);
  const { generation } = object.metadata;
  return {
    type,
    status: said,
    reason,
    message,
    lastTransitionTime: before?.status === said ? before.lastTransitionTime : formatTime(now),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
}
