/** Conditions of Jobs, and whether two statuses are equal. */
import { formatTime } from "../../meta/time.ts";
import type { JobCondition } from "./ends.ts";

/** Creates a condition whose times are `now`, in milliseconds since the epoch. */
export function conditionOf(type: string, status: string, reason: string, message: string, now: number): JobCondition {
  const time = formatTime(now);
  return { type, status, lastProbeTime: time, lastTransitionTime: time, reason, message };
}

/** Replaces the condition of the same type; an equal one stays, with its times. */
export function withCondition(conditions: readonly JobCondition[], condition: JobCondition): readonly JobCondition[] {
  const at = conditions.findIndex(({ type }) => type === condition.type);
  if (at < 0) return [...conditions, condition];
  const { status, reason, message } = conditions[at]!;
  if (status === condition.status && reason === condition.reason && message === condition.message) return conditions;
  return conditions.with(at, condition);
}

/** Whether two statuses, or parts of them, are equal; undefined members count as absent. */
export function isSameStatus(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [one, other] = [membersOf(a), membersOf(b)];
  return one.size === other.size && [...one].every(([key, value]) => isSameStatus(value, other.get(key)));
}

const membersOf = (value: object): ReadonlyMap<string, unknown> =>
  new Map(Object.entries(value).filter(([, member]) => member !== undefined));
