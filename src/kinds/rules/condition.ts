/**
 * The conditions that many kinds share.
 *
 * @module
 */
import type { FieldErrors } from "../../meta/field-errors.ts";
import { qualifiedName } from "../../meta/names.ts";
import * as t from "../../meta/types.ts";

/** The schema of a condition. */
export const Condition = t.struct("A condition of the object.", {
  type: t.required(t.text("The type of the condition.")),
  status: t.required(t.text("True, False or Unknown.")),
  observedGeneration: t.optional(t.int64("The generation of the object that it speaks of.")),
  lastTransitionTime: t.requiredOrNull(t.time("When the status last changed.")),
  reason: t.required(t.text("Why, for programs.")),
  message: t.required(t.text("Why, for people.")),
});

/** A condition of an object before it is validated. */
export type ConditionValue = Readonly<Partial<t.Static<typeof Condition>>>;

const begin = {
  type: t.required(t.text()),
  status: t.required(t.text("True, False or Unknown.")),
};

const end = {
  lastTransitionTime: t.nullable(t.time("When the status last changed.")),
  reason: t.optional(t.text("Why, for programs.")),
  message: t.optional(t.text("Why, for people.")),
};

/** The schema of a condition with an optional reason; `times` are more times of the kind. */
export const reportedCondition = <P extends Record<string, t.TSchema>>(
  description: string,
  type: string,
  times: P,
): ReturnType<typeof t.struct<typeof begin & P & typeof end>> =>
  t.struct(description, { ...begin, type: t.required(t.text(type)), ...times, ...end });

const STATES = ["True", "False", "Unknown"];
const REASON = /^[A-Za-z](?:[A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;
const MAX_REASON_BYTES = 1024;
const MAX_MESSAGE_BYTES = 32 * 1024;

/** Validates the conditions at `field`; types are unique. */
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
  if (Buffer.byteLength(reason) > MAX_REASON_BYTES) errors.tooLong(`${field}.reason`, MAX_REASON_BYTES);
  if (Buffer.byteLength(message) > MAX_MESSAGE_BYTES) errors.tooLong(`${field}.message`, MAX_MESSAGE_BYTES);
}
