import type { Random } from "./clock.ts";

/** How long to wait before each next try. */
export interface BackoffOptions {
  /** Milliseconds before the second try. */
  readonly first: number;
  /** Milliseconds that no wait exceeds. */
  readonly most: number;
}

/**
 * The wait before try number `failures + 1`: doubling, with half of it left to chance, so that those who failed together
 * do not come back together.
 */
export function backoff(failures: number, { first, most }: BackoffOptions, random: Random): number {
  const full = Math.min(most, first * 2 ** Math.min(failures, 30));
  return full / 2 + (random.next() * full) / 2;
}
