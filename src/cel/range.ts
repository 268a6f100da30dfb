/**
 * Ranges of sizes and costs: at least, at most; sums and products of 64 bits that stay at the greatest number.
 *
 * @module
 */

/** From the least to the most. */
export interface Range {
  readonly min: bigint;
  readonly max: bigint;
}

/** The greatest number: without a bound. */
export const MOST: bigint = 2n ** 64n - 1n;
export const UNKNOWN: Range = { min: 0n, max: MOST };
export const ZERO: Range = { min: 0n, max: 0n };

const cap = (value: bigint): bigint => (value > MOST ? MOST : value);

/** Exactly so much. */
export const exactly = (value: number | bigint): Range => ({ min: BigInt(value), max: BigInt(value) });

export const add = (a: Range, b: Range): Range => ({ min: cap(a.min + b.min), max: cap(a.max + b.max) });
export const multiply = (a: Range, b: Range): Range => ({ min: cap(a.min * b.min), max: cap(a.max * b.max) });

export const union = (a: Range, b: Range): Range => ({
  min: a.min < b.min ? a.min : b.min,
  max: a.max > b.max ? a.max : b.max,
});

/** So many times a factor, rounded up. */
export const times = (a: Range, factor: number): Range => ({ min: scaled(a.min, factor), max: scaled(a.max, factor) });

function scaled(value: bigint, factor: number): bigint {
  const number = Number(value);
  if (number > 0 && factor > 0 && number > Number(MOST) / factor) return MOST;
  return cap(BigInt(Math.ceil(number * factor)));
}
