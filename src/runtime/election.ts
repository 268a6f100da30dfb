/**
 * Election by a Lease: of several managers, the one that holds it leads.
 *
 * The rules are those of client-go: whoever holds the Lease renews it every `retryPeriod`; who cannot for `renewDeadline`
 * stops leading; others take it when it has not been renewed for `leaseDuration`, by their own clock from the moment at
 * which they saw the last renewal. A leader counts from the moment at which it asked for the renewal, which was earlier. As with every lease, a leader that is stopped in its tracks may believe in itself for a
 * moment after another one has taken over.
 *
 * @module
 */
import { type Key, type NewObject, type ResourceClient, attempt } from "../client/index.ts";
import type { Lease } from "../client/kinds/index.ts";
import { formatMicroTime } from "../meta/time.ts";
import { type Clock, type Random, sleep } from "../util/clock.ts";
import { type Duration, millisOf } from "../util/duration.ts";

/** How a manager stands for election. */
export interface LeaderElection {
  readonly lease: Key<"Namespaced">;
  /** Who stands; made up by default. */
  readonly identity?: string;
  /** How long others wait after the last renewal that they saw. Default 15 s. */
  readonly leaseDuration?: Duration;
  /** How long a leader may fail to renew. Default 10 s. */
  readonly renewDeadline?: Duration;
  /** How often the Lease is tried for or renewed. Default 2 s. */
  readonly retryPeriod?: Duration;
}

/** What an election needs. */
export interface ElectionOptions {
  readonly election: LeaderElection;
  readonly leases: ResourceClient<Lease, "Namespaced">;
  readonly clock: Clock;
  readonly random: Random;
  /** Begins to lead. */
  readonly won: () => void;
  /** Leads no more; resolves when nobody acts in the name of the leader. */
  readonly lost: () => Promise<void>;
  /** Hears why the Lease could not be read or written. */
  readonly failed: (error: unknown) => void;
}

/** See the head of this file. */
export class Election {
  readonly identity: string;
  readonly #options: ElectionOptions;
  readonly #durations: { readonly lease: number; readonly renew: number; readonly retry: number };
  readonly #stop = new AbortController();
  /** The version of the Lease that was seen last, and when it was new to us: clocks of other machines do not count. */
  #seen = { version: "", at: 0, lasts: 0 };
  #held: Lease | undefined;
  #leading = false;
  #running: Promise<void> | undefined;

  constructor(options: ElectionOptions) {
    const { identity, leaseDuration = "15s", renewDeadline = "10s", retryPeriod = "2s" } = options.election;
    this.#options = options;
    const unique = options.random.uuid();
    this.identity = identity === undefined ? unique : `${identity}_${unique}`;
    this.#durations = { lease: millisOf(leaseDuration), renew: millisOf(renewDeadline), retry: millisOf(retryPeriod) };
    const { lease, renew, retry } = this.#durations;
    if (lease <= renew)
      throw new RangeError(`expected leaseDuration to be longer than renewDeadline, got ${lease} and ${renew} ms`);
    if (renew <= retry)
      throw new RangeError(`expected renewDeadline to be longer than retryPeriod, got ${renew} and ${retry} ms`);
  }

  get leading(): boolean {
    return this.#leading;
  }

  /** Stands, and stands again whenever the lead was lost. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Stands no more; the Lease is kept until {@link release}. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** Gives the Lease back, so that the next one need not wait. */
  async release(): Promise<void> {
    const lease = this.#held;
    if (!lease) return;
    this.#held = undefined;
    this.#leading = false;
    const now = formatMicroTime(this.#options.clock.now());
    const spec = { ...lease.spec, holderIdentity: "", leaseDurationSeconds: 1, renewTime: now, acquireTime: now };
    await attempt(this.#options.leases.update({ ...lease, spec }), "Conflict", "NotFound");
  }

  async #run(): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const asked = clock.steady();
      if (await this.#try(this.#durations.renew)) await this.#lead(asked);
      else await sleep(clock, this.#pause(), signal);
    }
  }

  /** Candidates that came together part; whoever sees the Lease run out looks at that moment. */
  #pause(): number {
    const pause = this.#durations.retry * (1 + 0.2 * this.#options.random.next());
    const patience = this.#patience();
    return patience > 0 ? Math.min(patience, pause) : pause;
  }

  /** @param since when the Lease was asked for */
  async #lead(since: number): Promise<void> {
    const { clock, won, lost } = this.#options;
    const { signal } = this.#stop;
    const { renew, retry } = this.#durations;
    let deadline = since + renew;
    const left = (): number => deadline - clock.steady();
    this.#leading = true;
    won();
    while (!signal.aborted && left() > 0) {
      await sleep(clock, Math.min(retry, left()), signal);
      if (signal.aborted) return;
      const asked = clock.steady();
      // It may have been stopped in its tracks for long.
      if (left() <= 0) break;
      if (await this.#try(left())) deadline = asked + renew;
      else if (this.#isForeign()) break;
    }
    if (signal.aborted) return;
    this.#leading = false;
    this.#held = undefined;
    await lost();
  }

  /** Takes or renews the Lease if that is possible within some milliseconds. */
  async #try(within: number): Promise<boolean> {
    const { clock, failed } = this.#options;
    const late = new AbortController();
    const timer = clock.after(within, () => late.abort());
    try {
      const held = await this.#takeOrRenew(late.signal);
      if (held) this.#held = held;
      return held !== undefined;
    } catch (error) {
      if (!this.#stop.signal.aborted) failed(error);
      return false;
    } finally {
      timer.cancel();
    }
  }

  async #takeOrRenew(signal: AbortSignal): Promise<Lease | undefined> {
    const { leases, election } = this.#options;
    const found = await leases.find(election.lease, { signal });
    if (!found) {
      const made = await attempt(leases.create(this.#mine(undefined), { signal }), "AlreadyExists");
      return made.ok ? made.value : undefined;
    }
    if (!this.#mayTake(found)) {
      if (this.#leading) this.#held = undefined;
      return undefined;
    }
    const { spec } = this.#mine(found);
    const taken = await attempt(
      leases.update({ ...found, spec: { ...found.spec, ...spec } }, { signal }),
      "Conflict",
      "NotFound",
    );
    return taken.ok ? taken.value : undefined;
  }

  #isForeign(): boolean {
    return this.#held === undefined;
  }

  #mayTake({ metadata: { resourceVersion: version }, spec }: Lease): boolean {
    const { clock } = this.#options;
    if (this.#seen.version !== version) this.#seen = { version, at: clock.steady(), lasts: 0 };
    const holder = spec.holderIdentity ?? "";
    if (holder === "" || holder === this.identity) return true;
    this.#seen.lasts = Math.max(this.#durations.lease, (spec.leaseDurationSeconds ?? 0) * 1000);
    return this.#patience() <= 0;
  }

  /** How long the Lease that was seen last may still be held, unless it is renewed. */
  #patience(): number {
    const { at, lasts } = this.#seen;
    return lasts === 0 ? Infinity : at + lasts - this.#options.clock.steady();
  }

  #mine(before: Lease | undefined): NewObject<Lease> & { readonly spec: Lease["spec"] } {
    const { clock, election } = this.#options;
    const now = formatMicroTime(clock.now());
    const isNew = before?.spec.holderIdentity !== this.identity;
    return {
      metadata: election.lease,
      spec: {
        holderIdentity: this.identity,
        leaseDurationSeconds: Math.ceil(this.#durations.lease / 1000),
        acquireTime: isNew ? now : (before.spec.acquireTime ?? now),
        renewTime: now,
        leaseTransitions: (before?.spec.leaseTransitions ?? 0) + (isNew && before ? 1 : 0),
      },
    };
  }
}
