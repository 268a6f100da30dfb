/** Validates custom objects by their schema, and by its CEL rules where the schema leaves the values meaningful. */
import { addViolations, hasRules, validateRules } from "../cel/rules/index.ts";
import type { FieldErrors } from "../meta/field-errors.ts";
import type { Dialect } from "../meta/dialect.ts";
import type { ApiObject } from "../schema/definition.ts";
import { validateEmbedded } from "../schema/structural/embedded.ts";
import { validateLists } from "../schema/structural/lists.ts";
import type { Structural } from "../schema/structural/schema.ts";
import { validatorOf } from "../schema/structural/validate.ts";
import type { Schema as RuleSchema } from "../cel/schema/declaration.ts";
import type { CauseReason } from "../meta/status.ts";
import type { Steps } from "../util/steps.ts";
import { asValue } from "../schema/api-object.ts";

/** Validates an object, new or the next state of `old`, in steps. */
export type ObjectValidator = (object: ApiObject, old: ApiObject | undefined, errors: FieldErrors) => Steps<void>;

/** Returns the validator of a schema. */
export function objectValidatorOf(schema: Structural, dialect: Dialect): ObjectValidator {
  const rules = schema as RuleSchema;
  return function* (object, old, errors) {
    const value = asValue(object);
    const was = old && asValue(old);
    const before = errors.causes.length;
    // Each of these compiles the schema at its first use, which may have tens of thousands of fields.
    validatorOf(schema).validate(object, old, errors);
    yield;
    validateEmbedded(schema, value, "", errors, dialect);
    yield;
    validateLists(schema, value, was, errors);
    yield;
    if (!hasRules(rules)) return;
    if (errors.causes.slice(before).some(({ reason }) => BLOCKING_REASONS.has(reason))) {
      errors.add(
        "FieldValueInvalid",
        WHOLE_OBJECT,
        "Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
      );
      return;
    }
    const { violations } = yield* validateRules(rules, value, {
      isObject: true,
      old: was,
      ratchets: was !== undefined,
    });
    addViolations(violations, errors, WHOLE_OBJECT);
  };
}

/** Errors after which CEL rules are not evaluated (CEL-41). */
const BLOCKING_REASONS: ReadonlySet<CauseReason> = new Set([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

const WHOLE_OBJECT = "<nil>";
