/**
 * The status of claims as resizer and modifier write it: conditions beside those of others, the rest as it is.
 *
 * @module
 */
import type { PersistentVolumeClaim } from "../client/kinds/index.ts";
import { formatTime } from "../meta/time.ts";
import { errorText } from "../util/cut-text.ts";

/** The status of a claim. */
export type ClaimStatus = PersistentVolumeClaim["status"];
type Condition = NonNullable<ClaimStatus["conditions"]>[number];

/** What a condition is to say; it holds. */
export interface ClaimFinding {
  readonly type: string;
  readonly reason?: string;
  readonly message?: string;
}

/** Conditions that hold, in place of those of some types. */
export function conditionsWith(
  { status }: PersistentVolumeClaim,
  findings: readonly ClaimFinding[],
  { without = [], now }: { readonly without?: readonly string[]; readonly now: number },
): Condition[] {
  const before = status.conditions ?? [];
  const said = new Set(findings.map(({ type }) => type));
  const kept = before.filter(({ type }) => !said.has(type) && !without.includes(type));
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
