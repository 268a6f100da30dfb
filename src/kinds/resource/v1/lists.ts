/**
 * Limits and rules of lists of devices and requests.
 *
 * @module
 */
import type { FieldErrors } from "../../../meta/field-errors.ts";

type List<T> = readonly T[] | null | undefined;
type Check<T> = (entry: T, at: string) => void;

/** Validates the entries of a list at `field`; a list with more than `most` has only that error. */
export function checkList<T>(list: List<T>, most: number, field: string, errors: FieldErrors, check: Check<T>): void {
  if (!list) return;
  if (list.length > most) errors.tooMany(field, list.length, most);
  else list.forEach((entry, i) => check(entry, `${field}[${i}]`));
}

/** The same for a list with unique keys. */
export function checkSet<T>(
  list: List<T>,
  most: number,
  field: string,
  errors: FieldErrors,
  check: Check<T>,
  keyOf: (entry: T) => string,
): void {
  checkList(list, most, field, errors, check);
  if (list && list.length <= most) checkUnique(list, field, errors, keyOf);
}

/** Reports entries with a key of an earlier entry. */
export function checkUnique<T>(
  list: readonly T[],
  field: string,
  errors: FieldErrors,
  keyOf: (entry: T) => string,
): void {
  const keys = new Set<string>();
  for (const [i, entry] of list.entries()) {
    const key = keyOf(entry);
    if (keys.has(key)) errors.duplicate(`${field}[${i}]`, key);
    keys.add(key);
  }
}

/** Validates keys and values of a map; a map with more than `most` entries has only that error. */
export function checkMap<T>(
  map: Readonly<Record<string, T>> | undefined,
  most: number,
  field: string,
  errors: FieldErrors,
  check: (key: string, value: T, at: string) => void,
): void {
  const entries = Object.entries(map ?? {});
  if (entries.length > most) return errors.tooMany(field, entries.length, most);
  for (const [key, value] of entries) check(key, value, `${field}[${shortKey(key)}]`);
}

const MAX_KEY_LENGTH = 96;

/** A key in the name of a field: without the middle of one that is too long to be valid. */
function shortKey(key: string): string {
  const rest = MAX_KEY_LENGTH - 3;
  return key.length <= MAX_KEY_LENGTH ? key : `${key.slice(0, (rest + 1) >> 1)}...${key.slice(-(rest >> 1))}`;
}
