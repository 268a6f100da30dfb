/**
 * The conditions of a migration: their form, and which may be true together (SVM-8..10, DEC-39, DEC-55).
 *
 * Both versions share these rules; they only call the time of a condition differently.
 *
 * @module
 */
import type { FieldErrors } from "../../meta/field-errors.ts";
import { qualifiedName } from "../../meta/names.ts";
import type { ApiContext } from "../../schema/definition.ts";

/** A condition in the view of the rules, in any version. */
export interface Condition {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly observedGeneration?: number;
  readonly [member: string]: unknown;
}

const FIELD = "status.conditions";
const STATES = ["True", "False", "Unknown"];
const REASON = /^[A-Za-z](?:[A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;
const MAX_REASON_LENGTH = 1024;
const MAX_MESSAGE_LENGTH = 32 * 1024;

/** Whether a condition of this type exists and is true. */
export const isTrue = (conditions: readonly Condition[], type: string): boolean =>
  conditions.find((condition) => condition.type === type)?.status === "True";

function validateReason(reason: string, field: string, errors: FieldErrors): void {
  if (reason === "") {
    errors.required(field, "expected the reason of the last transition");
    return;
  }
  if (!REASON.test(reason)) errors.invalid(field, reason, "expected a letter, then letters, digits, '_', ',' and ':'");
  if (Buffer.byteLength(reason) > MAX_REASON_LENGTH) errors.tooLong(field, MAX_REASON_LENGTH);
}

function validateCondition(
  condition: Condition,
  field: string,
  time: string,
  errors: FieldErrors,
  ctx: ApiContext,
): void {
  const { type = "", status = "", reason = "", message = "", observedGeneration = 0 } = condition;
  const { rules } = ctx.dialect;
  if (type === "" || rules.enforceUndocumented) {
    const expected = qualifiedName(type);
    if (expected !== undefined) errors.invalid(`${field}.type`, type, expected);
  }
  if (!STATES.includes(status)) errors.notSupported(`${field}.status`, status, STATES);
  if (observedGeneration < 0) {
    errors.invalid(`${field}.observedGeneration`, observedGeneration, "expected a number that is not negative");
  }
  if (rules.requireUndocumented) {
    if (condition[time] == null) errors.required(`${field}.${time}`, "expected the time of the last transition");
    validateReason(reason, `${field}.reason`, errors);
  }
  if (Buffer.byteLength(message) > MAX_MESSAGE_LENGTH) errors.tooLong(`${field}.message`, MAX_MESSAGE_LENGTH);
}

/**
 * Checks the conditions of a migration and their changes: each type once, at most one outcome, not running after an outcome, and no outcome
 * removed.
 *
 * @param time the member that holds the time of a condition
 */
export function validateConditions(
  conditions: readonly Condition[],
  before: readonly Condition[],
  time: string,
  errors: FieldErrors,
  ctx: ApiContext,
): void {
  const types = new Set<unknown>();
  for (const [i, condition] of conditions.entries()) {
    if (types.has(condition.type)) errors.duplicate(`${FIELD}[${i}].type`, condition.type);
    types.add(condition.type);
    validateCondition(condition, `${FIELD}[${i}]`, time, errors, ctx);
  }
  const succeeded = isTrue(conditions, "Succeeded");
  const failed = isTrue(conditions, "Failed");
  const wrong = (why: string): void => errors.invalid(FIELD, conditions, why);
  if (succeeded && failed) wrong("Succeeded and Failed cannot both be True");
  if ((succeeded || failed) && isTrue(conditions, "Running"))
    wrong("Running cannot be True when the migration is over");
  if (!succeeded && isTrue(before, "Succeeded")) wrong("Succeeded was True and stays so");
  if (!failed && isTrue(before, "Failed")) wrong("Failed was True and stays so");
}
