/** Validates a custom object in a thread; see `object-validator.ts`. */
import { type Dialect, dialectOf } from "../meta/dialect.ts";
import { FieldErrors } from "../meta/field-errors.ts";
import type { StatusCause } from "../meta/status.ts";
import type { ApiObject } from "../schema/definition.ts";
import type { Structural } from "../schema/structural/schema.ts";
import { asObject } from "../schema/api-object.ts";
import { assert } from "../util/assert.ts";
import { isObject } from "../value/value.ts";
import { atOnce } from "../util/steps.ts";
import { decodeOwnJson } from "../value/json.ts";
import { type ObjectValidator, objectValidatorOf } from "./object-validator.ts";

/** An object to validate; objects and schema are JSON. */
export interface ValidationTask {
  readonly dialect: string;
  readonly schema: string;
  readonly object: Uint8Array;
  readonly old: Uint8Array | undefined;
}

const MAX_VALIDATORS = 4;
const validators = new Map<string, ObjectValidator>();

/** Returns the task for an object, new or the next state of `old`. */
export const validationTask = (
  schema: Structural,
  { name }: Dialect,
  object: ApiObject,
  old: ApiObject | undefined,
): ValidationTask => ({
  dialect: name,
  schema: JSON.stringify(schema),
  object: Buffer.from(JSON.stringify(object)),
  old: old && Buffer.from(JSON.stringify(old)),
});

/** Executes a task and returns the errors. */
export function run({ dialect, schema, object, old }: ValidationTask): readonly StatusCause[] {
  const errors = new FieldErrors();
  atOnce(validatorFor(schema, dialect)(readObject(object), old && readObject(old), errors));
  return errors.causes;
}

function readObject(bytes: Uint8Array): ApiObject {
  const value = decodeOwnJson(bytes);
  assert(isObject(value), "a task has objects");
  return asObject(value);
}

function validatorFor(schema: string, dialect: string): ObjectValidator {
  const key = `${dialect} ${schema}`;
  const known = dialectOf(dialect);
  assert(known, "a task names its dialect");
  const judge = validators.get(key) ?? objectValidatorOf(JSON.parse(schema) as Structural, known);
  validators.delete(key);
  validators.set(key, judge);
  const [oldest = key] = validators.keys();
  if (validators.size > MAX_VALIDATORS) validators.delete(oldest);
  return judge;
}
