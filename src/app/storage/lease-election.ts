/**
 * The election of one of several servers by a Lease.
 *
 * It is not a lock: a holder that was paused may continue for a moment after another server has taken over. So it is for work
 * that two servers may do at the same time.
 *
 * @module
 */
import { type ResourceClient, isStatus } from "../../client/index.ts";
import type { Lease } from "../../client/kinds/index.ts";
import { Candidate, type CandidateOptions } from "../../runtime/candidate.ts";

/** What an election is built from. */
export interface LeaseElectionOptions extends CandidateOptions {
  readonly leases: ResourceClient<Lease, "Namespaced">;
  readonly namespace: string;
  readonly name: string;
}

/** One candidate of an election. */
export class LeaseElection {
  readonly #options: LeaseElectionOptions;
  readonly #candidate: Candidate;

  constructor(options: LeaseElectionOptions) {
    this.#options = options;
    this.#candidate = new Candidate(options);
  }

  /**
   * Acquires or renews the Lease if possible, with annotations that `change` computes from the current ones; resolves to the Lease if
   * this candidate holds it.
   */
  async hold(change: (before: Readonly<Record<string, string>>) => Record<string, string>): Promise<Lease | undefined> {
    const { leases, namespace, name } = this.#options;
    try {
      const found = await leases.find({ namespace, name });
      if (!found) {
        const metadata = { namespace, name, annotations: change({}) };
        return await leases.create({ metadata, spec: this.#candidate.spec(undefined) });
      }
      if (!this.#candidate.mayTake(found)) return undefined;
      const metadata = { ...found.metadata, annotations: change(found.metadata.annotations ?? {}) };
      return await leases.update({ ...found, metadata, spec: this.#candidate.spec(found) });
    } catch (error) {
      // Another candidate was faster.
      if (isStatus(error, "Conflict", "AlreadyExists", "NotFound")) return undefined;
      throw error;
    }
  }
}
