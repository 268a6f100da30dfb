import type { FieldErrors } from "../../meta/field-errors.ts";

const MAX_NAME_LENGTH = 15;
const PORT_NAME = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;

/** Whether a text names a port: at most 15 lower-case letters, digits and single '-', at least one letter. */
export const isPortName = (name: string): boolean =>
  name.length <= MAX_NAME_LENGTH && PORT_NAME.test(name) && /[a-z]/.test(name) && !name.includes("--");

/** The number of a port is from 1 to 65535. */
export function checkPortNumber(field: string, port: number, errors: FieldErrors): void {
  if (port < 1 || port > 65_535) errors.invalid(field, port, "expected a number from 1 to 65535");
}
