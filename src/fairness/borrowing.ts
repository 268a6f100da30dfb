/**
 * Divides the seats of a server among its levels: each gets its demand, multiplied by the same factor, within its bounds
 * (APF-14).
 *
 * @module
 */

/** The bounds and the demand of a level. */
export interface Claim {
  readonly min: number;
  readonly max: number;
  /** At least {@link Claim.min}. */
  readonly demand: number;
}

/** A level without demand gets a small part of the unused seats. */
const MIN_DEMAND = 0.001;
/** More steps than a number has bits change nothing. */
const STEPS = 60;

/**
 * Returns the shares in the order of the claims; their sum is `seats` where the bounds allow it.
 *
 * The sum grows with the factor, so a binary search finds the factor.
 */
export function divideSeats(seats: number, claims: readonly Claim[]): readonly number[] {
  const share = (factor: number, { min, max, demand }: Claim): number =>
    Math.min(max, Math.max(min, factor * Math.max(MIN_DEMAND, demand)));
  const sum = (factor: number): number => claims.reduce((total, claim) => total + share(factor, claim), 0);
  let low = 0;
  let high = 1;
  const largest = claims.reduce((found, { max, demand }) => Math.max(found, max / Math.max(MIN_DEMAND, demand)), 0);
  while (high < largest && sum(high) < seats) high *= 2;
  for (let i = 0; i < STEPS; i++) {
    const middle = (low + high) / 2;
    if (sum(middle) < seats) low = middle;
    else high = middle;
  }
  return claims.map((claim) => share(high, claim));
}

/** The seats and the demand of a level. */
export interface Borrower {
  readonly isExempt: boolean;
  readonly nominal: number;
  readonly lower: number;
  readonly upper: number;
  /** The largest demand of the last period, and the smoothed demand of all periods. */
  readonly peak: number;
  readonly smoothed: number;
}

/** Returns the limits of all levels, in their order, for the next period. */
export function currentLimits(levels: readonly Borrower[]): readonly number[] {
  const total = levels.reduce((sum, { nominal }) => sum + nominal, 0);
  const minOf = ({ isExempt, nominal, lower, peak }: Borrower): number =>
    Math.max(lower, isExempt ? peak : Math.min(nominal, peak));
  const limited = levels.filter(({ isExempt }) => !isExempt);
  const exempt = levels.filter(({ isExempt }) => isExempt).reduce((sum, level) => sum + minOf(level), 0);
  const left = total - exempt;
  const lowers = limited.reduce((sum, { lower }) => sum + lower, 0);
  const mins = limited.reduce((sum, level) => sum + minOf(level), 0);
  const claims = limited.map((level) => {
    const min = minOf(level);
    return { min, max: level.upper, demand: Math.max(min, level.smoothed) };
  });
  const shares = (left > mins ? divideSeats(total, claims) : []).values();
  return levels.map((level) => {
    if (level.isExempt) return minOf(level);
    if (left <= lowers) return level.lower;
    if (left > mins) return Math.round(shares.next().value ?? level.lower);
    return level.lower + Math.round(((minOf(level) - level.lower) * (left - lowers)) / (mins - lowers));
  });
}
