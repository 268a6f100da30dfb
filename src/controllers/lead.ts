/**
 * Work that one of several servers should do: who holds a Lease does it.
 *
 * This is an election, not a lock: a holder that was paused may go on for a moment although another one has taken over.
 * So it is good for work that does no harm when two do it, and the Lease's own version tells who was later.
 *
 * @module
 */
import type { ApiObject } from "../schema/definition.ts";
import { type ResourceClient, isStatus } from "../client/index.ts";
import { formatMicroTime } from "../meta/time.ts";
import type { Clock } from "../util/clock.ts";

/** A Lease, as far as an election reads it. */
export interface Lease extends ApiObject {
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly acquireTime?: string;
    readonly renewTime?: string;
    readonly leaseTransitions?: number;
  };
}

/** What an election needs. */
export interface LeadOptions {
  readonly leases: ResourceClient<Lease>;
  readonly clock: Clock;
  readonly apiVersion: string;
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
      const found = await leases.get(name, { namespace }).catch((error: unknown) => {
        if (!isStatus(error, "NotFound")) throw error;
      });
      if (!found) return await leases.create(this.#held(undefined, change({})), { namespace });
      if (!this.#mayTake(found)) return undefined;
      return await leases.update(this.#held(found, change(found.metadata.annotations ?? {})));
    } catch (error) {
      // Another one was faster.
      if (isStatus(error, "Conflict", "AlreadyExists", "NotFound")) return undefined;
      throw error;
    }
  }

  #mayTake({ metadata, spec }: Lease): boolean {
    const { clock, identity, durationMillis } = this.#options;
    const version = metadata.resourceVersion ?? "";
    if (this.#seen.version !== version) this.#seen = { version, at: clock.steady() };
    const holder = spec?.holderIdentity ?? "";
    return holder === "" || holder === identity || clock.steady() - this.#seen.at >= durationMillis;
  }

  #held(before: Lease | undefined, annotations: Record<string, string>): Lease {
    const { clock, apiVersion, namespace, name, identity, durationMillis } = this.#options;
    const now = formatMicroTime(clock.now());
    const taken = before?.spec?.holderIdentity !== identity;
    return {
      apiVersion,
      kind: "Lease",
      metadata: { ...before?.metadata, name, namespace, annotations },
      spec: {
        holderIdentity: identity,
        leaseDurationSeconds: Math.ceil(durationMillis / 1000),
        acquireTime: taken ? now : (before?.spec?.acquireTime ?? now),
        renewTime: now,
        leaseTransitions: (before?.spec?.leaseTransitions ?? 0) + (taken && before ? 1 : 0),
      },
    };
  }
}
