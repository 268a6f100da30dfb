import type { Lease } from "../client/kinds/index.ts";
import { formatMicroTime } from "../meta/time.ts";
import type { Clock } from "../util/clock.ts";

/** The parts of a candidate. */
export interface CandidateOptions {
  readonly clock: Clock;
  readonly identity: string;
  /** The duration without a renewal after which another candidate takes over; a longer one in the Lease counts. */
  readonly durationMillis: number;
}

/**
 * A candidate of a leader election: when it may take the Lease, and what it writes. It makes no requests.
 *
 * The rules are those of client-go: a Lease is free when it has no holder, or when its duration has passed since the
 * candidate saw the last renewal, on the candidate's own clock.
 */
export class Candidate {
  readonly #options: CandidateOptions;
  /** The last seen version of the Lease and when it was first seen; clocks of other machines do not count. */
  #seen = { version: "", at: 0, lasts: 0 };

  constructor(options: CandidateOptions) {
    this.#options = options;
  }

  /** Whether a Lease that was just read is free or ours. */
  mayTake({ metadata: { resourceVersion: version }, spec }: Lease): boolean {
    const { clock, identity, durationMillis } = this.#options;
    if (this.#seen.version !== version) this.#seen = { version, at: clock.steady(), lasts: 0 };
    const holder = spec.holderIdentity ?? "";
    if (holder === "" || holder === identity) return true;
    this.#seen.lasts = Math.max(durationMillis, (spec.leaseDurationSeconds ?? 0) * 1000);
    return this.remainingMs() <= 0;
  }

  /** The milliseconds until the last seen Lease expires without a renewal. */
  remainingMs(): number {
    const { at, lasts } = this.#seen;
    return lasts === 0 ? Infinity : at + lasts - this.#options.clock.steady();
  }

  /** Returns the spec of the Lease with this holder; other fields stay. */
  spec(before: Lease | undefined): Lease["spec"] {
    const { clock, identity, durationMillis } = this.#options;
    const now = formatMicroTime(clock.now());
    const isNew = before?.spec.holderIdentity !== identity;
    return {
      ...before?.spec,
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(durationMillis / 1000),
      acquireTime: isNew ? now : (before.spec.acquireTime ?? now),
      renewTime: now,
      leaseTransitions: (before?.spec.leaseTransitions ?? 0) + (isNew && before ? 1 : 0),
    };
  }
}
