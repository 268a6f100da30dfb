/**
 * Election by a Lease: of several managers, the one that holds it leads.
 *
 * The rules are those of client-go: whoever holds the Lease renews it every `retryPeriod`; who cannot for `renewDeadline`
 * stops leading; others take it when it has not been renewed for `leaseDuration` (`candidate.ts`). A leader counts from the
 * moment at which it asked for the renewal, which was earlier. As with every lease, a leader that is stopped in its tracks
 * may believe in itself for a moment after another one has taken over.
 *
 * @module
 */
import { type Key, type ResourceClient, attempt } from "../client/index.ts";
import type { Lease } from "../client/kinds/index.ts";
import { formatMicroTime } from "../meta/time.ts";
import { type Clock, type Random, sleep } from "../util/clock.ts";
import { type Duration, millisOf } from "../util/duration.ts";
import { Candidate } from "./candidate.ts";

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
  readonly #candidate: Candidate;
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
    this.#candidate = new Candidate({ clock: options.clock, identity: this.identity, durationMillis: lease });
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
    const remainingMs = this.#candidate.remainingMs();
    return remainingMs > 0 ? Math.min(remainingMs, pause) : pause;
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
      const mine = { metadata: election.lease, spec: this.#candidate.spec(undefined) };
      const made = await attempt(leases.create(mine, { signal }), "AlreadyExists");
      return made.ok ? made.value : undefined;
    }
    if (!this.#candidate.mayTake(found)) {
      if (this.#leading) this.#held = undefined;
      return undefined;
    }
    const mine = { ...found, spec: this.#candidate.spec(found) };
    const taken = await attempt(leases.update(mine, { signal }), "Conflict", "NotFound");
    return taken.ok ? taken.value : undefined;
  }

  #isForeign(): boolean {
    return this.#held === undefined;
  }
}
