/**
 * Work that one of several servers should do: who holds a Lease does it.
 *
 * This is an election, not a lock: a holder that was paused may go on for a moment although another one has taken over.
 * So it is good for work that does no harm when two do it, and the Lease's own version tells who was later.
 *
 * @module
 */
import { type ResourceClient, isStatus } from "../../client/index.ts";
import type { Lease } from "../../client/kinds/index.ts";
import { Candidate, type CandidateOptions } from "../../runtime/candidate.ts";

/** What an election needs. */
export interface LeadOptions extends CandidateOptions {
  readonly leases: ResourceClient<Lease, "Namespaced">;
  readonly namespace: string;
  readonly name: string;
}

/** One candidate of an election. */
export class Lead {
  readonly #options: LeadOptions;
  readonly #candidate: Candidate;

  constructor(options: LeadOptions) {
    this.#options = options;
    this.#candidate = new Candidate(options);
  }

  /**
   * Takes or renews the Lease if that is possible, together with its annotations as `change` makes them from what they
   * were; resolves to the Lease if we hold it now.
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
      // Another one was faster.
      if (isStatus(error, "Conflict", "AlreadyExists", "NotFound")) return undefined;
      throw error;
    }
  }
}
