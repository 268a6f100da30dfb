/**
 * Conditions as most kinds have them: what is known of one side of an object.
 *
 * @module
 */
import type { FieldErrors } from "../../meta/field-errors.ts";
import { qualifiedName } from "../../meta/names.ts";
import * as t from "../../meta/types.ts";

/** The schema of a condition. */
export const Condition = t.struct("What is known of one side of the object.", {
  type: t.required(t.text("What it is about.")),
  status: t.required(t.text("True, False or Unknown.")),
  observedGeneration: t.optional(t.int64("The generation of the object that it speaks of.")),
  lastTransitionTime: t.requiredOrNull(t.time("When the status last changed.")),
  reason: t.required(t.text("Why, for programs.")),
  message: t.required(t.text("Why, for people.")),
});

/** A condition as it stands in an object; nothing is sure to be there before it is validated. */
export interface ConditionValue {
  readonly type?: string;
  readonly status?: string;
  readonly observedGeneration?: number;
  readonly lastTransitionTime?: string | null;
  readonly reason?: string;
  readonly message?: string;
}

const STATES = ["True", "False", "Unknown"];
const REASON = /^[A-Za-z](?:[A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;
const LONGEST_REASON = 1024;
const LONGEST_MESSAGE = 32 * 1024;

/** Everything that is wrong with the conditions at `field`; each type is there once. */
export function validateConditions(conditions: readonly ConditionValue[], field: string, errors: FieldErrors): void {
  const types = new Set<unknown>();
  for (const [i, condition] of conditions.entries()) {
    if (types.has(condition.type)) errors.duplicate(`${field}[${i}].type`, condition.type);
    types.add(condition.type);
    validateCondition(condition, `${field}[${i}]`, errors);
  }
}

function validateCondition(condition: ConditionValue, field: string, errors: FieldErrors): void {
  const { type = "", status = "", reason = "", message = "", observedGeneration = 0 } = condition;
  const wrong = qualifiedName(type);
  if (wrong !== undefined) errors.invalid(`${field}.type`, type, wrong);
  if (!STATES.includes(status)) errors.notSupported(`${field}.status`, status, STATES);
  if (observedGeneration < 0) errors.invalid(`${field}.observedGeneration`, observedGeneration, "expected 0 or more");
  if (condition.lastTransitionTime == null) {
    errors.required(`${field}.lastTransitionTime`, "expected the time of the last transition");
  }
  if (reason === "") errors.required(`${field}.reason`, "expected the reason of the last transition");
  else if (!REASON.test(reason)) {
    errors.invalid(`${field}.reason`, reason, "expected a letter, then letters, digits, '_', ',' and ':'");
  }
  if (Buffer.byteLength(reason) > LONGEST_REASON) errors.tooLong(`${field}.reason`, LONGEST_REASON);
  if (Buffer.byteLength(message) > LONGEST_MESSAGE) errors.tooLong(`${field}.message`, LONGEST_MESSAGE);
}
