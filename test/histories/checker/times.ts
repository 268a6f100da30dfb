/**
 * When each revision was committed, as far as anybody can tell: the real-time half of linearizability.
 *
 * Revisions order all changes, so a history is linearizable exactly when every revision can be given a moment such that
 * the moments grow with the revisions and lie within what is known of each: a write was committed after it was called
 * and before it was answered; what somebody has seen was committed before; what a fresh read did not show yet was
 * committed after that read was called. Those are bounds of single revisions, so that the earliest possible moment is
 * the largest lower bound of all revisions up to it, and the latest one the smallest upper bound from it on. One run:
 *
 *     write a -> 7 in [10, 20]      7 is in [10, 20]
 *     write b -> 8 in [30, 40]      8 is in [30, 40]
 *     read in [50, 60] shows 7      8 is at 50 or later: but it was answered at 40. The read was stale.
 *
 * @module
 */
import type { Findings } from "./findings.ts";

interface Bound {
  readonly revision: number;
  readonly at: number;
  readonly why: () => string;
}

/** See the head of this file. */
export class Times {
  #lower: Bound[] = [];
  #upper: Bound[] = [];

  /** The revision was committed at `at` or later. */
  notBefore(revision: number, at: number, why: () => string): void {
    this.#lower.push({ revision, at, why });
  }

  /** The revision was committed at `at` or earlier. */
  notAfter(revision: number, at: number, why: () => string): void {
    this.#upper.push({ revision, at, why });
  }

  /** Draws the conclusions of all bounds and reports those that cannot hold together. */
  conclude(findings: Findings): void {
    this.#lower = tighten(
      this.#lower.toSorted((a, b) => a.revision - b.revision || a.at - b.at),
      (a, b) => a > b,
    );
    this.#upper = tighten(
      this.#upper.toSorted((a, b) => b.revision - a.revision || b.at - a.at),
      (a, b) => a < b,
    );
    this.#upper.reverse();
    let blamed: Bound | undefined;
    for (const upper of this.#upper) {
      const lower = this.#lower[countUpTo(this.#lower, upper.revision) - 1];
      const holds = lower === undefined || lower.at <= upper.at || lower === blamed;
      if (!holds) blamed = lower;
      findings.expect(holds, "real time", () => `${lower!.why()}; but ${upper.why()}`);
    }
  }

  /** The newest revision that anybody has told of. */
  get newest(): number {
    return Math.max(this.#upper.at(-1)?.revision ?? 0, this.#lower.at(-1)?.revision ?? 0);
  }

  /** The earliest moment at which the revision can have been committed. Only after {@link conclude}. */
  earliest(revision: number): number {
    return this.#lower[countUpTo(this.#lower, revision) - 1]?.at ?? -Infinity;
  }

  /** The latest moment at which the revision can have been committed; infinite for one that was never seen. */
  latest(revision: number): number {
    return this.#upper[countUpTo(this.#upper, revision - 1)]?.at ?? Infinity;
  }
}

/** Leaves the bounds that say more than all before them. */
function tighten(bounds: readonly Bound[], saysMore: (a: number, b: number) => boolean): Bound[] {
  const kept: Bound[] = [];
  for (const bound of bounds) {
    const last = kept.at(-1);
    if (last && !saysMore(bound.at, last.at)) continue;
    if (last?.revision === bound.revision) kept.pop();
    kept.push(bound);
  }
  return kept;
}

/** How many bounds are of `revision` or an earlier one. */
function countUpTo(bounds: readonly Bound[], revision: number): number {
  let low = 0;
  let high = bounds.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (bounds[middle]!.revision <= revision) low = middle + 1;
    else high = middle;
  }
  return low;
}
