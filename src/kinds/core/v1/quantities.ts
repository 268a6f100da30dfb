/**
 * Maps of resources: capacity, requests and limits (DEC-8, DEC-9).
 *
 * @module
 */
import { canonicalQuantity, isWholeBytes, parseQuantity, quantitySign } from "../../../meta/quantity.ts";
import { map, quantity } from "../../../meta/types.ts";
import { sameMeaning } from "../../../schema/same-meaning.ts";
import type { FieldErrors } from "../../../meta/field-errors.ts";

/** Names of resources and their quantities. */
export type Resources = Readonly<Record<string, string>>;

// Only quantities below a thousandth are rounded; those are written with `n`, `u` or a negative exponent.
const SMALL = /[nu]$|[eE]-/;

/** Rounds the quantities of a resource map up to thousandths, in place: what resources cannot be finer than (DEC-9). */
export function roundResources(resources: Record<string, string> | undefined): void {
  for (const name in resources) {
    const text = resources[name]!;
    if (SMALL.test(text)) resources[name] = roundUpToMilli(text);
  }
}

function roundUpToMilli(text: string): string {
  const parsed = parseQuantity(text);
  if (!parsed || parsed.exponent >= -3) return text;
  const { mantissa, exponent, family } = parsed;
  const unit = 10n ** BigInt(-3 - exponent);
  const size = mantissa < 0n ? -mantissa : mantissa;
  const rounded = (size + unit - 1n) / unit;
  const written = `${mantissa < 0n ? "-" : ""}${rounded}${family === "exponent" ? "e-3" : "m"}`;
  return canonicalQuantity(written) ?? text;
}

/** The quantity must not be negative. */
export function checkNotNegative(field: string, value: string, errors: FieldErrors): void {
  if (quantitySign(value) < 0) errors.invalid(field, value, "expected a quantity of 0 or more");
}

/** The quantity must be above 0. */
export function checkPositive(field: string, value: string, errors: FieldErrors): void {
  if (quantitySign(value) <= 0) errors.invalid(field, value, "expected a quantity above 0");
}

/** Whether two maps hold the same resources, compared by value. */
export const sameResources = (a?: Resources, b?: Resources): boolean => sameMeaning(RESOURCES, a, b);

const RESOURCES = map(quantity());

/** A Warning about a fraction of a byte, undefined for whole bytes (DEC-8). */
export function fractionWarning(field: string, value: string | undefined): string | undefined {
  if (value === undefined || isWholeBytes(value)) return undefined;
  return `${field}: ${JSON.stringify(value)} is a fraction of a byte, expected a whole number`;
}
