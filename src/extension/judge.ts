/**
 * What is wrong with a custom object: by the words of its schema, and by its rules where the words leave them a sense.
 *
 * @module
 */
import type { FieldErrors } from "../meta/field-errors.ts";
import type { Dialect } from "../meta/dialect.ts";
import type { ApiObject } from "../schema/definition.ts";
import { validateEmbedded } from "../schema/structural/embedded.ts";
import { validateLists } from "../schema/structural/lists.ts";
import type { Structural } from "../schema/structural/schema.ts";
import { validatorOf } from "../schema/structural/validate.ts";
import type { Steps } from "../util/steps.ts";
import type { Value } from "../value/value.ts";

/** Judges an object, a new one or the next state of `old`, in steps. */
export type Judge = (object: ApiObject, old: ApiObject | undefined, errors: FieldErrors) => Steps<void>;

/** The judge of a version with this schema. */
export function judgeOf(schema: Structural, dialect: Dialect): Judge {
  return function* (object, old, errors) {
    const value = object as unknown as Value;
    validatorOf(schema).validate(object, old, errors);
    validateEmbedded(schema, value, "", errors, dialect);
    validateLists(schema, value, old as unknown as Value | undefined, errors);
  };
}
