import type { Random } from "./clock.ts";

/** The bounds of an exponential backoff. */
export interface BackoffOptions {
  /** Milliseconds before the second attempt. */
  readonly first: number;
  /** The longest wait in milliseconds. */
  readonly most: number;
}

/**
 * Returns the wait after so many failures and one more: it doubles with each, and half of it is random, so that clients that
 * failed together do not retry together.
 */
export function backoff(failures: number, { first, most }: BackoffOptions, random: Random): number {
  const full = Math.min(most, first * 2 ** Math.min(failures, 30));
  return full / 2 + (random.next() * full) / 2;
}
