/**
 * Conditions: what a controller says of an object, with the time at which that last changed.
 *
 * @module
 */
import type { ApiObject } from "../client/index.ts";
import type { Condition } from "../client/kinds/index.ts";
import { formatTime } from "../meta/time.ts";

/** The conditions of an object's status. */
export function conditionsOf(object: ApiObject): readonly Condition[] {
  const { status } = object as { readonly status?: { readonly conditions?: readonly Condition[] } };
  return status?.conditions ?? [];
}

/** A condition of an object's status; undefined when it has none of that type. */
export const conditionOf = (object: ApiObject, type: string): Condition | undefined =>
  conditionsOf(object).find((condition) => condition.type === type);

/** What a condition is to say. */
export interface NewCondition {
  readonly type: string;
  readonly status: boolean | "Unknown";
  readonly reason: string;
  readonly message: string;
}

/** The condition for the status of an object; its time moves only when `status` becomes another. */
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
