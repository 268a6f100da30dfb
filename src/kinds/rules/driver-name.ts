import { dnsSubdomain } from "../../meta/names.ts";
import type { FieldErrors } from "../../meta/field-errors.ts";

const MAX_NAME_LENGTH = 63;

/**
 * The name of a driver of storage or devices where an object refers to one: required, at most 63 bytes, a DNS subdomain
 * when its capitals are made small (DEC-39).
 */
export function validateDriverName(name: string, field: string, errors: FieldErrors): void {
  if (name === "") {
    errors.required(field, "expected the name of a driver");
    return;
  }
  if (Buffer.byteLength(name) > MAX_NAME_LENGTH) errors.tooLong(field, MAX_NAME_LENGTH);
  const expected = dnsSubdomain(name.toLowerCase());
  if (expected !== undefined) errors.invalid(field, name, expected);
}
