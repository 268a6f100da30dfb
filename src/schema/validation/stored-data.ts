/**
 * The rules that ConfigMaps and Secrets share: maps of keys and bytes, a size limit, and `immutable`.
 *
 * @module
 */
import type { FieldErrors } from "../../meta/field-errors.ts";
import { configMapKey } from "../../meta/names.ts";
import { type Value, equal } from "../../value/value.ts";
import type { ApiObject, WriteContext } from "../definition.ts";
import { isSentEmpty } from "./sent-empty.ts";

/** MaxSecretSize: the limit on the bytes of all values together (DEC-13). */
export const MAX_DATA_BYTES = 1_048_576;

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

/** The decoded bytes of all values of a map of padded base64; keys are not counted. */
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
 * An immutable object stays so and keeps its data (CM-7, CM-8, SEC-7, SEC-8, AMB-13). `members` are the maps of data. An unset
 * one equals an empty one, except for the member `distinct`, where Kubernetes distinguishes them.
 */
export function validateImmutable(
  object: ApiObject,
  old: ApiObject,
  { members, distinct }: { readonly members: readonly string[]; readonly distinct: string },
  errors: FieldErrors,
  ctx: WriteContext,
): void {
  if (old["immutable"] !== true) return;
  if (object["immutable"] !== true) errors.forbidden("immutable", FROZEN);
  for (const member of members) {
    const isSame = equal((object[member] ?? {}) as Value, (old[member] ?? {}) as Value);
    if (!isSame || (member === distinct && isSentEmpty(member, old, ctx))) errors.forbidden(member, FROZEN);
  }
}
