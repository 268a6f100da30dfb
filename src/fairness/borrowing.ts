/**
 * How the seats of a server are shared out: each level gets what it wants, multiplied by the same factor, within its bounds
 * (APF-14).
 *
 * @module
 */

/** A level that gets a share. */
export interface Claim {
  readonly least: number;
  readonly most: number;
  /** What it wants; at least {@link Claim.least}. */
  readonly wanted: number;
}

/** A level that wants nothing gets a little of what nobody wants. */
const LITTLE = 0.001;
/** More steps than a number has bits change nothing. */
const STEPS = 60;

/**
 * The shares, in the order of the claims; they add up to `seats` as far as the bounds let them.
 *
 * What a factor gives to all grows with it, so the right one is found by halving.
 */
export function shareOut(seats: number, claims: readonly Claim[]): readonly number[] {
  const given = (factor: number, { least, most, wanted }: Claim): number =>
    Math.min(most, Math.max(least, factor * Math.max(LITTLE, wanted)));
  const sum = (factor: number): number => claims.reduce((total, claim) => total + given(factor, claim), 0);
  let low = 0;
  let high = 1;
  const largest = claims.reduce((most, claim) => Math.max(most, claim.most / Math.max(LITTLE, claim.wanted)), 0);
  while (high < largest && sum(high) < seats) high *= 2;
  for (let i = 0; i < STEPS; i++) {
    const middle = (low + high) / 2;
    if (sum(middle) < seats) low = middle;
    else high = middle;
  }
  return claims.map((claim) => given(high, claim));
}

/** A level as the sharing sees it. */
export interface Borrower {
  readonly isExempt: boolean;
  readonly nominal: number;
  readonly lower: number;
  readonly upper: number;
  /** The most seats that were wanted at a time in the last period, and what is remembered of all periods. */
  readonly peak: number;
  readonly smoothed: number;
}

/** The current limits of all levels, in their order, for the period to come. */
export function currentLimits(levels: readonly Borrower[]): readonly number[] {
  const total = levels.reduce((sum, { nominal }) => sum + nominal, 0);
  const leastOf = ({ isExempt, nominal, lower, peak }: Borrower): number =>
    Math.max(lower, isExempt ? peak : Math.min(nominal, peak));
  const limited = levels.filter(({ isExempt }) => !isExempt);
  const exempt = levels.filter(({ isExempt }) => isExempt).reduce((sum, level) => sum + leastOf(level), 0);
  const left = total - exempt;
  const lowers = limited.reduce((sum, { lower }) => sum + lower, 0);
  const leasts = limited.reduce((sum, level) => sum + leastOf(level), 0);
  const claims = limited.map((level) => {
    const least = leastOf(level);
    return { least, most: level.upper, wanted: Math.max(least, level.smoothed) };
  });
  const shares = left > leasts ? shareOut(total, claims) : [];
  let next = 0;
  return levels.map((level) => {
    if (level.isExempt) return leastOf(level);
    if (left <= lowers) return level.lower;
    if (left > leasts) return Math.round(shares[next++]!);
    return level.lower + Math.round(((leastOf(level) - level.lower) * (left - lowers)) / (leasts - lowers));
  });
}
