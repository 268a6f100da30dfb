/**
 * Work that one of several servers should do: who holds a Lease does it.
 *
 * This is an election, not a lock: a holder that was paused may go on for a moment although another one has taken over.
 * So it is good for work that does no harm when two do it, and the Lease's own version tells who was later.
 *
 * @module
 */
import { type ResourceClient, isStatus } from "../client/index.ts";
import type { Lease } from "../client/kinds/index.ts";
import { formatMicroTime } from "../meta/time.ts";
import type { Clock } from "../util/clock.ts";

/** What an election needs. */
export interface LeadOptions {
  readonly leases: ResourceClient<Lease, "Namespaced">;
  readonly clock: Clock;
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
  /** How long a holder may be silent before another one takes over. */
  readonly durationMillis: number;
}

/** One candidate of an election. */
export class Lead {
  readonly #options: LeadOptions;
  /** The version of the Lease that was seen last, and when it was new to us: clocks of other machines do not count. */
  #seen = { version: "", at: 0 };

  constructor(options: LeadOptions) {
    this.#options = options;
  }

  /**
   * Takes or renews the Lease if that is possible, together with its annotations as `change` makes them from what they
   * were; resolves to the Lease if we hold it now.
   */
  async hold(change: (before: Readonly<Record<string, string>>) => Record<string, string>): Promise<Lease | undefined> {
    const { leases, namespace, name } = this.#options;
    try {
      const found = await leases.find({ namespace, name });
      if (!found) return await leases.create(this.#held(undefined, change({})));
      if (!this.#mayTake(found)) return undefined;
      return await leases.update({ ...found, ...this.#held(found, change(found.metadata.annotations ?? {})) });
    } catch (error) {
      // Another one was faster.
      if (isStatus(error, "Conflict", "AlreadyExists", "NotFound")) return undefined;
      throw error;
    }
  }

  #mayTake({ metadata, spec }: Lease): boolean {
    const { clock, identity, durationMillis } = this.#options;
    const version = metadata.resourceVersion;
    if (this.#seen.version !== version) this.#seen = { version, at: clock.steady() };
    const holder = spec.holderIdentity ?? "";
    return holder === "" || holder === identity || clock.steady() - this.#seen.at >= durationMillis;
  }

  #held(before: Lease | undefined, annotations: Record<string, string>) {
    const { clock, namespace, name, identity, durationMillis } = this.#options;
    const now = formatMicroTime(clock.now());
    const taken = before?.spec.holderIdentity !== identity;
    const metadata: Lease["metadata"] = { ...before?.metadata, name, namespace, annotations } as Lease["metadata"];
    return {
      metadata,
      spec: {
        holderIdentity: identity,
        leaseDurationSeconds: Math.ceil(durationMillis / 1000),
        acquireTime: taken ? now : (before?.spec.acquireTime ?? now),
        renewTime: now,
        leaseTransitions: (before?.spec.leaseTransitions ?? 0) + (taken && before ? 1 : 0),
      },
    };
  }
}
