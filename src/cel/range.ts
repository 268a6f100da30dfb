/**
 * Ranges of sizes and costs. Sums and products saturate at 64 bits.
 *
 * @module
 */

/** A range with both bounds included. */
export interface Range {
  readonly min: bigint;
  readonly max: bigint;
}

/** The largest number, which means unbounded. */
export const MAX_UINT64: bigint = 2n ** 64n - 1n;
export const UNKNOWN: Range = { min: 0n, max: MAX_UINT64 };
export const ZERO: Range = { min: 0n, max: 0n };

const cap = (value: bigint): bigint => (value > MAX_UINT64 ? MAX_UINT64 : value);

/** The range of one number. */
export const exactly = (value: number | bigint): Range => ({ min: BigInt(value), max: BigInt(value) });

export const add = (a: Range, b: Range): Range => ({ min: cap(a.min + b.min), max: cap(a.max + b.max) });
export const multiply = (a: Range, b: Range): Range => ({ min: cap(a.min * b.min), max: cap(a.max * b.max) });

export const union = (a: Range, b: Range): Range => ({
  min: a.min < b.min ? a.min : b.min,
  max: a.max > b.max ? a.max : b.max,
});

/** Multiplies a range by a factor, rounded up. */
export const times = (a: Range, factor: number): Range => ({ min: scaled(a.min, factor), max: scaled(a.max, factor) });

function scaled(value: bigint, factor: number): bigint {
  const number = Number(value);
  if (number > 0 && factor > 0 && number > Number(MAX_UINT64) / factor) return MAX_UINT64;
  return cap(BigInt(Math.ceil(number * factor)));
}
