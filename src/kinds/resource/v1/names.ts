/**
 * Names of pools, and of the attributes, capacities and counters of devices.
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";
import { type TextCheck, dnsSubdomain } from "../../../meta/names.ts";
import { validateDriverName } from "../../rules/driver-name.ts";

/** Reports an invalid text at `field`. */
export function tell(text: string, check: TextCheck, field: string, errors: FieldErrors): void {
  const wrong = check(text);
  if (wrong !== undefined) errors.invalid(field, text, wrong);
}

const MAX_POOL_LENGTH = 253;
const MAX_ID_LENGTH = 32;
const ID = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The name of a pool: DNS subdomains with slashes between them. */
export function validatePoolName(name: string, field: string, errors: FieldErrors): void {
  if (name === "") return errors.required(field, "expected the name of a pool");
  if (Buffer.byteLength(name) > MAX_POOL_LENGTH) errors.tooLong(field, MAX_POOL_LENGTH);
  for (const part of name.split("/")) tell(part, dnsSubdomain, field, errors);
}

/**
 * The name of an attribute or a capacity: an identifier, with the name of a driver in front where it is not that of the device. Names with
 * more than one slash are not validated, as in Kubernetes.
 */
export function validateQualifiedName(name: string, field: string, errors: FieldErrors): void {
  const parts = name.split("/");
  if (parts.length > 2) return;
  const [id = "", domain] = parts.toReversed();
  if (domain === "") errors.invalid(field, name, "expected a domain in front of '/'");
  else if (domain !== undefined) validateDriverName(domain, field, errors);
  if (id === "" && domain !== undefined) return errors.invalid(field, name, "expected a name behind '/'");
  if (Buffer.byteLength(id) > MAX_ID_LENGTH) errors.tooLong(field, MAX_ID_LENGTH);
  if (!ID.test(id)) {
    errors.invalid(field, id, "expected letters, digits and '_', beginning with a letter or '_'");
  }
}

/** The name of an attribute where the driver is not known: with a domain. */
export function validateFullName(name: string, field: string, errors: FieldErrors): void {
  validateQualifiedName(name, field, errors);
  if (!name.includes("/")) {
    errors.invalid(field, name, "expected a name with a domain in front, such as 'dra.example.com/model'");
  }
}

const UID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** The identity of a share of a device: a UID in canonical form. */
export const shareId: TextCheck = (text) =>
  UID.test(text) ? undefined : "expected a UID: 32 lower-case hexadecimal digits in groups of 8, 4, 4, 4 and 12";
