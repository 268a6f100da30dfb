/**
 * What ConfigMaps and Secrets have in common: maps of keys and bytes, a limit on their size, and `immutable`.
 *
 * @module
 */
import type { FieldErrors } from "../../meta/field-errors.ts";
import { configMapKey } from "../../meta/names.ts";
import { type Value, equal } from "../../value/value.ts";
import type { ApiObject, WriteContext } from "../definition.ts";
import { isSentEmpty } from "./sent-empty.ts";

/** MaxSecretSize: the limit on the bytes of all values together (DEC-13). */
export const MOST_BYTES = 1_048_576;

/** A map of the data of an object, undefined when it is unset. */
export type DataMap = Readonly<Record<string, string>> | undefined;

/** Keys of data are letters, digits, `-`, `_` and `.` (CM-11, DEC-13). */
export function validateDataKeys(data: DataMap, field: string, errors: FieldErrors): void {
  for (const key in data) {
    const wrong = configMapKey(key);
    if (wrong) errors.invalid(`${field}[${key}]`, key, wrong);
  }
}

/** The bytes of all texts of a map in UTF-8; keys are not counted. */
export function textBytes(data: DataMap): number {
  let bytes = 0;
  for (const key in data) bytes += Buffer.byteLength(data[key]!);
  return bytes;
}

/** The bytes that all values of a map of padded base64 stand for; keys are not counted. */
export function base64Bytes(data: DataMap): number {
  let bytes = 0;
  for (const key in data) {
    const text = data[key]!;
    bytes += (text.length / 4) * 3 - (text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0);
  }
  return bytes;
}

const FROZEN = "field is immutable when `immutable` is set";

/**
 * What is immutable stays so and keeps its data (CM-7, CM-8, SEC-7, SEC-8, AMB-13). `members` are the maps that hold
 * data; an unset one is as good as an empty one, but where Kubernetes tells them apart: the one of `told`.
 */
export function validateImmutable(
  object: ApiObject,
  old: ApiObject,
  { members, told }: { readonly members: readonly string[]; readonly told: string },
  errors: FieldErrors,
  ctx: WriteContext,
): void {
  if (old["immutable"] !== true) return;
  if (object["immutable"] !== true) errors.forbidden("immutable", FROZEN);
  for (const member of members) {
    const isSame = equal((object[member] ?? {}) as Value, (old[member] ?? {}) as Value);
    if (!isSame || (member === told && isSentEmpty(member, old, ctx))) errors.forbidden(member, FROZEN);
  }
}
