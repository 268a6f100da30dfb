import type { FieldErrors } from "../../../../meta/field-errors.ts";

const PORT_NAME = /^(?=.*[a-z])(?!.*--)[a-z0-9](?:[a-z0-9-]{0,13}[a-z0-9])?$/;

/** Whether a text names a port: at most 15 lower-case letters, digits and single '-', at least one letter. */
export const isPortName = (name: string): boolean => PORT_NAME.test(name);

/** The number of a port is from 1 to 65535. */
export function checkPortNumber(field: string, port: number, errors: FieldErrors): void {
  if (port < 1 || port > 65_535) errors.invalid(field, port, "expected a number from 1 to 65535");
}
