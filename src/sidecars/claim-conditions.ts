/**
 * Conditions of claims as resizer and modifier write them, together with those of others.
 *
 * @module
 */
import type { PersistentVolumeClaim } from "../client/kinds/index.ts";
import { formatTime } from "../meta/time.ts";
import { errorText } from "../util/cut-text.ts";

type Condition = NonNullable<PersistentVolumeClaim["status"]["conditions"]>[number];

/** A condition whose status is True. */
export type ClaimFinding = Pick<Condition, "type" | "reason" | "message">;

/** The conditions of a claim with new ones, and without those of some types. */
export function conditionsWith(
  { status }: PersistentVolumeClaim,
  findings: readonly ClaimFinding[],
  { without = [], now }: { readonly without?: readonly string[]; readonly now: number },
): Condition[] {
  const before = status.conditions ?? [];
  const replaced = new Set([...findings.map(({ type }) => type), ...without]);
  const kept = before.filter(({ type }) => !replaced.has(type));
  return [...kept, ...findings.map((finding) => conditionOf(before, finding, now))];
}

function conditionOf(before: readonly Condition[], { type, reason, message }: ClaimFinding, now: number): Condition {
  const known = before.find((one) => one.type === type && one.status === "True" && one.reason === reason);
  return {
    type,
    status: "True",
    lastTransitionTime: known?.lastTransitionTime ?? formatTime(now),
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message: errorText(message) }),
  };
}
