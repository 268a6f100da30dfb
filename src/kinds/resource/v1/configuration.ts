/**
 * Configurations of devices, with parameters for their driver.
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import * as t from "../../../meta/types.ts";
import { type Value, isObject } from "../../../value/value.ts";
import { validateDriverName } from "../../rules/driver-name.ts";

/** The members of a configuration. */
export const CONFIGURATION = {
  opaque: t.pointer(
    t.struct("A configuration for its driver.", {
      driver: t.required(t.text("The driver that it is for.")),
      parameters: t.required(t.anyJson("Parameters for the driver, an object; at most 10 KiB.")),
    }),
  ),
} as const;

const Configuration = t.struct("A configuration.", CONFIGURATION);

/** A configuration; its lists may add members. */
export type ConfigurationValue = t.Static<typeof Configuration>;

const MAX_PARAMETERS_BYTES = 10 * 1024;

/** Reports JSON at `field` that is no object, or has more than 10 KiB where it is not `known` from before. */
export function validateJsonObject(value: unknown, field: string, errors: FieldErrors, known = false): void {
  if (value === undefined || value === null) return errors.required(field, "expected an object");
  if (!known && Buffer.byteLength(JSON.stringify(value)) > MAX_PARAMETERS_BYTES)
    return errors.tooLong(field, MAX_PARAMETERS_BYTES);
  if (!isObject(value as Value)) errors.invalid(field, value, "expected an object");
}

/** All faults of a configuration; a `known` one may keep its length. */
export function validateConfiguration(
  { opaque }: ConfigurationValue,
  at: string,
  errors: FieldErrors,
  known = false,
): void {
  if (!opaque) return errors.required(`${at}.opaque`, "expected a configuration");
  validateDriverName(opaque.driver, `${at}.opaque.driver`, errors);
  validateJsonObject(opaque.parameters, `${at}.opaque.parameters`, errors, known);
}
