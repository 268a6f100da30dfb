/**
 * A candidate of an election by a Lease: when it may take the Lease, and what it writes into it then. The rules are those
 * of client-go: a Lease is free when it has no holder, or when it has not been renewed for as long as it lasts, by the
 * candidate's own clock from the moment at which it saw the last renewal.
 *
 * It asks nobody: reading and writing the Lease is for whoever stands.
 *
 * @module
 */
import type { Lease } from "../client/kinds/index.ts";
import { formatMicroTime } from "../meta/time.ts";
import type { Clock } from "../util/clock.ts";

/** What a candidate is made of. */
export interface CandidateOptions {
  readonly clock: Clock;
  readonly identity: string;
  /** How long a holder may be silent before another one takes over; a Lease that says a longer time has that. */
  readonly durationMillis: number;
}

/** See the head of this file. */
export class Candidate {
  readonly #options: CandidateOptions;
  /** The version of the Lease that was seen last, and when it was new to us: clocks of other machines do not count. */
  #seen = { version: "", at: 0, lasts: 0 };

  constructor(options: CandidateOptions) {
    this.#options = options;
  }

  /** Whether a Lease as it was just read is free, or ours. */
  mayTake({ metadata: { resourceVersion: version }, spec }: Lease): boolean {
    const { clock, identity, durationMillis } = this.#options;
    if (this.#seen.version !== version) this.#seen = { version, at: clock.steady(), lasts: 0 };
    const holder = spec.holderIdentity ?? "";
    if (holder === "" || holder === identity) return true;
    this.#seen.lasts = Math.max(durationMillis, (spec.leaseDurationSeconds ?? 0) * 1000);
    return this.remainingMs() <= 0;
  }

  /** How long the Lease that was seen last may still be held by another one, unless it is renewed. */
  remainingMs(): number {
    const { at, lasts } = this.#seen;
    return lasts === 0 ? Infinity : at + lasts - this.#options.clock.steady();
  }

  /** The spec of the Lease once we hold it; what others wrote beside stays. */
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
