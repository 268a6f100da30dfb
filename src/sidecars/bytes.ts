/**
 * Converts between the bytes of a driver and the quantities of the API.
 *
 * @module
 */
import { wholeNumber } from "../meta/quantity.ts";

const UNITS = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

/** Bytes as a quantity, with the largest suffix that loses nothing. */
export function quantityOf(bytes: bigint): string {
  let [rest, unit] = [bytes, 0];
  while (rest > 0n && rest % 1024n === 0n && unit < UNITS.length - 1) {
    rest /= 1024n;
    unit++;
  }
  return `${rest}${UNITS[unit]}`;
}

/** The bytes of a quantity, rounded up; 0 where it is malformed. */
export const bytesOf = (quantity: string): bigint => wholeNumber(quantity) ?? 0n;
