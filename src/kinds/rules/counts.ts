import type { FieldErrors } from "../../meta/field-errors.ts";
import { asJsonNumber } from "../../value/value.ts";

/** The number of an int64 member, or the nearest double. */
export const nearest = (number: number): number => asJsonNumber(number)?.value ?? number;

/** Reports members below `at` that are numbers below 0. */
export function validateNotNegative<K extends string>(
  object: { readonly [member in K]?: number | null },
  members: readonly K[],
  at: string,
  errors: FieldErrors,
): void {
  for (const member of members) {
    const number = object[member];
    if (typeof number === "number" && number < 0) errors.invalid(`${at}.${member}`, number, "expected 0 or more");
  }
}

/** Reports members below `at` that exceed another one; a missing one is 0. */
export function validateAtMost<K extends string>(
  object: { readonly [member in K]?: number | null },
  pairs: readonly (readonly [member: K, most: K])[],
  at: string,
  errors: FieldErrors,
): void {
  for (const [member, most] of pairs) {
    const number = object[member] ?? 0;
    if (number > (object[most] ?? 0)) errors.invalid(`${at}.${member}`, number, `expected no more than ${most}`);
  }
}

/** Reports a count that was decreased or removed. */
export function validateNotLess(
  now: number | null | undefined,
  before: number | null | undefined,
  field: string,
  errors: FieldErrors,
): void {
  if (before === undefined || before === null || (now !== undefined && now !== null && now >= before)) return;
  errors.invalid(field, now ?? null, `expected no less than before, ${before}`);
}

/** A number, or a percentage of one: `25%`. */
export type Share = number | string;

const PERCENTAGE = /^\d+%$/;

/** Reports a value that is neither a number of 0 or more nor a percentage (KIND-All-16). */
export function validateShare(share: Share | undefined, field: string, errors: FieldErrors): void {
  if (typeof share === "number" && share < 0) errors.invalid(field, share, "expected 0 or more");
  else if (typeof share === "string" && !PERCENTAGE.test(share)) {
    errors.invalid(field, share, "expected a number, or a percentage such as 25%");
  }
}

/** Reports a percentage above 100. */
export function validateAtMostAll(share: Share | undefined, field: string, errors: FieldErrors): void {
  if (typeof share === "string" && PERCENTAGE.test(share) && shareOf(share) > 100) {
    errors.invalid(field, share, "expected at most 100%");
  }
}

const NUMBER = /^[+-]?\d+%?$/;

/** The number of a share or of its percentage, even of one in a text; 0 for any other value. */
export const shareOf = (share: Share | undefined): number =>
  typeof share === "number" ? share : share !== undefined && NUMBER.test(share) ? Number.parseInt(share, 10) : 0;
