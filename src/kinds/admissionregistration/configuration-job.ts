/**
 * Validates a configuration, a policy or a binding in a thread.
 *
 * @module
 */
import { dialectOf } from "../../meta/dialect.ts";
import { FieldErrors } from "../../meta/field-errors.ts";
import type { StatusCause } from "../../meta/status.ts";
import type { ApiObject } from "../../schema/definition.ts";
import { atOnce } from "../../util/steps.ts";
import { decodeOwnJson } from "../../value/json.ts";
import { type RuledKind, validateObject } from "./rules.ts";

/** An object to validate, as JSON texts. */
export interface ObjectTask {
  readonly dialect: string;
  readonly kind: RuledKind;
  readonly object: Uint8Array;
  readonly old: Uint8Array | undefined;
}

/** The faults of an object, a new one or the next state of `old`. */
export function run({ dialect, kind, object, old }: ObjectTask): readonly StatusCause[] {
  const errors = new FieldErrors();
  atOnce(validateObject(kind, objectOf(object), old && objectOf(old), errors, dialectOf(dialect)!));
  return errors.causes;
}

const objectOf = (bytes: Uint8Array): ApiObject => decodeOwnJson(bytes) as unknown as ApiObject;
