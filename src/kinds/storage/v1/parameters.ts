import { qualifiedName } from "../../../meta/names.ts";
import type { FieldErrors } from "../../../meta/field-errors.ts";

const MAX_ENTRIES = 512;
const MAX_BYTES = 256 * 1024;

/** A map of texts in an object: absent, null or set. */
export type Texts = Readonly<Record<string, string>> | null | undefined;

/** The bytes of all keys and values together. */
export function bytesOf(texts: Texts): number {
  let bytes = 0;
  for (const [key, value] of Object.entries(texts ?? {})) bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  return bytes;
}

/** Parameters of a class: at most 512 entries, 262144 bytes of keys and values, no empty key (VAC-7..9, LIM-4, DEC-40). */
export function validateParameters(parameters: Texts, field: string, errors: FieldErrors): void {
  if (!parameters) return;
  const keys = Object.keys(parameters);
  if (keys.length > MAX_ENTRIES) {
    // The reason that real servers return for too many entries of a map of parameters.
    const message = `Too long: ${keys.length} entries: expected at most ${MAX_ENTRIES}`;
    errors.causes.push({ reason: "FieldValueTooLong", field, message });
    return;
  }
  if (Object.hasOwn(parameters, "")) errors.invalid(field, "", "expected no empty key");
  if (bytesOf(parameters) > MAX_BYTES) errors.tooLong(field, MAX_BYTES);
}

/** The name of a provisioner or modifier of volumes: a qualified name in lower case (DEC-40). */
export function validateProvisioner(name: string, field: string, required: boolean, errors: FieldErrors): void {
  if (name === "") {
    if (required) errors.required(field);
    return;
  }
  const expected = qualifiedName(name.toLowerCase());
  if (expected !== undefined) errors.invalid(field, name, expected);
}
