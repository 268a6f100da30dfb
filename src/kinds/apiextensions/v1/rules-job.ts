/**
 * Validates a definition in a thread.
 *
 * @module
 */
import { dialectOf } from "../../../meta/dialect.ts";
import { FieldErrors } from "../../../meta/field-errors.ts";
import type { StatusCause } from "../../../meta/status.ts";
import { atOnce } from "../../../util/steps.ts";
import { decodeOwnJson } from "../../../value/json.ts";
import type { CustomResourceDefinition } from "./definition.ts";
import { validateDefinition } from "./rules.ts";

/** A definition to validate, as JSON texts. */
export interface DefinitionTask {
  readonly dialect: string;
  readonly definition: Uint8Array;
  readonly old: Uint8Array | undefined;
}

/** The faults of a definition, a new one or the next state of `old`. */
export function run({ dialect, definition, old }: DefinitionTask): readonly StatusCause[] {
  const errors = new FieldErrors();
  atOnce(validateDefinition(definitionOf(definition), old && definitionOf(old), errors, dialectOf(dialect)!));
  return errors.causes;
}

const definitionOf = (bytes: Uint8Array): CustomResourceDefinition =>
  decodeOwnJson(bytes) as unknown as CustomResourceDefinition;
