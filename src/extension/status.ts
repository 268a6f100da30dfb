/**
 * The status of a definition: accepted names and conditions, in the order of their first appearance (CRD-2, CRD-5,
 * CRD-6, CRD-8, CRD-12). It is pure: the time is an argument.
 */
import { approvalOf, isProtectedGroup } from "../kinds/apiextensions/v1/approval.ts";
import type { Condition } from "../kinds/apiextensions/v1/definition.ts";
import { type GroupNames, acceptNames, sameNames } from "./names.ts";
import type { CustomResourceDefinition, DefinitionStatus } from "./object.ts";

type Change = Pick<Condition, "type" | "status" | "reason" | "message">;

/** Whether a condition is True. */
export const isTrue = (status: DefinitionStatus | undefined, type: string): boolean =>
  find(status?.conditions, type)?.status === "True";

const find = (conditions: readonly Condition[] | undefined, type: string): Condition | undefined =>
  conditions?.find((condition) => condition.type === type);

/**
 * Returns the next status of a definition; the same object where nothing changes.
 *
 * @param group the accepted names of its group, its own included
 * @param time RFC 3339
 */
export function nextStatus(definition: CustomResourceDefinition, group: GroupNames, time: string): DefinitionStatus {
  const { spec, status = {}, metadata } = definition;
  let conditions = status.conditions ?? [];
  const set = (change: Change): void => {
    conditions = withCondition(conditions, change, time);
  };
  const { names, condition } = acceptNames(spec.names, status.acceptedNames, group);
  set(condition);
  if (!isTrue({ conditions }, "Established")) {
    set(condition.status === "True" ? ESTABLISHED : (find(conditions, "Established") ?? NOT_ACCEPTED));
  }
  if (isProtectedGroup(spec.group)) set(approval(metadata.annotations));
  if (metadata.deletionTimestamp !== undefined && !find(conditions, "Terminating")) set(TERMINATING);
  return conditions === status.conditions && sameNames(names, status.acceptedNames)
    ? status
    : { ...status, conditions, acceptedNames: names };
}

const MAX_NAMED_FINALIZERS = 10;

/** Returns the status with the finalizers of remaining objects; undefined where it has them. */
export function heldStatus(
  status: DefinitionStatus | undefined,
  finalizers: readonly string[],
): DefinitionStatus | undefined {
  const before = find(status?.conditions, TERMINATING.type);
  if (!status?.conditions || !before) return undefined;
  const named = finalizers.slice(0, MAX_NAMED_FINALIZERS).join(", ");
  const more = finalizers.length > MAX_NAMED_FINALIZERS ? " and others" : "";
  const held = finalizers.length === 0 ? "" : `; finalizers of remaining objects: ${named}${more}`;
  const change = { ...TERMINATING, message: TERMINATING.message + held };
  const conditions = withCondition(status.conditions, change, before.lastTransitionTime ?? "");
  return conditions === status.conditions ? undefined : { ...status, conditions };
}

const ESTABLISHED: Change = {
  type: "Established",
  status: "True",
  reason: "InitialNamesAccepted",
  message: "the initial names have been accepted",
};

const NOT_ACCEPTED: Change = {
  type: "Established",
  status: "False",
  reason: "NotAccepted",
  message: "not all names are accepted",
};

const TERMINATING: Change = {
  type: "Terminating",
  status: "True",
  reason: "InstanceDeletionInProgress",
  message: "CustomResource deletion is in progress",
};

function approval(annotations: Readonly<Record<string, string>> | undefined): Change {
  const type = "KubernetesAPIApprovalPolicyConformant";
  const found = approvalOf(annotations);
  return {
    type,
    status: found.state === "approved" ? "True" : "False",
    reason: REASONS[found.state],
    message: found.why,
  };
}

const REASONS = {
  missing: "MissingAnnotation",
  invalid: "InvalidAnnotation",
  approved: "ApprovedAnnotation",
  bypassed: "UnapprovedAnnotation",
} as const;

/** Adds or replaces a condition; lastTransitionTime changes with its status only. */
function withCondition(conditions: Condition[], change: Change, time: string): Condition[] {
  const before = find(conditions, change.type);
  const isSame =
    before?.status === change.status && before.reason === change.reason && before.message === change.message;
  if (before && isSame) return conditions;
  const lastTransitionTime = before?.status === change.status ? before.lastTransitionTime : time;
  const next: Condition = { ...before, ...change, lastTransitionTime: lastTransitionTime ?? time };
  return before ? conditions.map((one) => (one === before ? next : one)) : [...conditions, next];
}
