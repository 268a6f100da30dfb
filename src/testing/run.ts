/**
 * Controllers under test: a manager on the cluster's clock, whose requests pass faults and records as anybody's do.
 *
 * @module
 */
import type { Identity } from "../auth/contract.ts";
import { type Client, StatusError } from "../client/index.ts";
import { type Controller, type Failure, type LeaderElection, type Manager, createManager } from "../runtime/index.ts";
import { BrokenOff } from "../server/index.ts";
import type { Activity } from "../util/activity.ts";
import { type Clock, type Timer, sleep, systemClock } from "../util/clock.ts";
import type { Log } from "../util/log.ts";
import { boundTo, inside } from "./clock.ts";
import { ASKED_FOR } from "./fault.ts";
import { Sender } from "./sender.ts";

/** How controllers are run; all of it has a default. */
export interface RunOptions {
  /** They run only while they hold a Lease; at once by default, for every renewal is two requests. */
  readonly leaderElection?: LeaderElection;
  /** A service account to run as, `NAMESPACE/NAME`; the admin by default. */
  readonly as?: string;
  /** Whether what has crashed comes back, after 10 s of the cluster's time, doubling. */
  readonly restart?: boolean;
  /** Failures that `settled()` does not complain of, beside those that retries are for. */
  readonly tolerate?: (error: unknown) => boolean;
}

/** Controllers that run. */
export interface Running extends AsyncDisposable {
  /** Whether they may act: they hold the Lease, or need none. */
  readonly leading: boolean;
  /** How often they have crashed. */
  readonly crashes: number;
  /** What reconciles have thrown, tolerated or not. */
  readonly failures: readonly Failure[];
  /** Ends them in order. */
  stop(): Promise<void>;
  /** Ends them as `kill -9` does: nothing of them reaches the server any more, calls in flight never settle. */
  crash(): void;
}

/** What a run needs of its cluster. */
export interface RunParts {
  readonly clock: Clock;
  readonly activity: Activity;
  /** Resolves when nothing happens any more before the clock is moved. */
  readonly rest: () => Promise<void>;
  readonly log: Log;
  readonly dialect: "kubernetes" | "neutral";
  readonly seed: number;
  readonly client: (sender: Sender, identity: Identity | undefined, userAgent: string) => Client;
  /** Hears of each reconcile that begins. */
  readonly started: (controller: string, key: string) => void;
  /** Hears of a failure that no retry is for. */
  readonly failed: (failure: Failure) => void;
}

const RESTART_MS = 10_000;
const MOST_RESTART_MS = 300_000;
/** How long reconciles have to end, in real time, before they are cut off. */
const GRACE_MS = 1000;

/** See the head of this file. */
export class Run implements Running {
  readonly #parts: RunParts;
  readonly #controllers: readonly Controller[];
  readonly #options: RunOptions;
  readonly #name: string;
  readonly failures: Failure[] = [];
  crashes = 0;
  #manager: Manager | undefined;
  /** Resolved when the manager of the moment is cut off. */
  #ended = Promise.withResolvers<void>();
  #restart: Timer | undefined;

  constructor(parts: RunParts, controllers: readonly Controller[], options: RunOptions) {
    this.#parts = parts;
    this.#controllers = controllers;
    this.#options = options;
    this.#name = controllers.map(({ name }) => name).join(",") || "nothing";
  }

  get leading(): boolean {
    return this.#manager?.leading ?? false;
  }

  /**
   * Resolves when the controllers run, have crashed, or wait for the clock; rejects where a kind is not served, or their
   * informers are refused.
   */
  async begin(): Promise<void> {
    const manager = this.#make();
    this.#manager = manager;
    this.#ended = Promise.withResolvers();
    try {
      const refused = manager.failed.then((error) => Promise.reject(error));
      const started = inside(this.#name, () => manager.start());
      await Promise.race([started, refused, this.#ended.promise, this.#parts.rest()]);
      const waiting = manager.status().find(({ state }) => state === "waiting");
      if (waiting) throw new Error(`expected ${waiting.controller} to run: ${waiting.why ?? "it waits"}`);
    } catch (error) {
      this.cut();
      throw error;
    }
  }

  /** Nothing of it happens any more; it can be begun again. */
  cut(): void {
    this.#restart?.cancel();
    this.#restart = undefined;
    this.#manager?.crash();
    this.#manager = undefined;
    this.#ended.resolve();
  }

  crash(): void {
    if (!this.#manager) return;
    this.cut();
    this.crashes++;
    if (this.#options.restart) this.#comeBack();
  }

  async stop(): Promise<void> {
    const manager = this.#manager;
    this.#restart?.cancel();
    this.#manager = undefined;
    if (!manager) return;
    const over = new AbortController();
    const late = sleep(systemClock, GRACE_MS, over.signal, { holds: true });
    await Promise.race([manager.stop(), late]);
    over.abort();
    // What has not ended by now never reaches the server again.
    manager.crash();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #make(): Manager {
    const { clock, activity, log, dialect, seed, client, started } = this.#parts;
    const { as, leaderElection } = this.#options;
    const sender = new Sender("subject", () => this.crash());
    return createManager({
      client: client(sender, as === undefined ? undefined : serviceAccount(as), this.#name),
      name: this.#name,
      clock: boundTo(clock),
      // Another one after each start, as another process would have.
      seed: seed + this.crashes,
      dialect,
      log,
      activity,
      ...(leaderElection ? { leaderElection } : {}),
      started,
      failure: (failure) => this.#meet(failure),
    }).add(...this.#controllers);
  }

  #meet(failure: Failure): void {
    this.failures.push(failure);
    if (!isForRetries(failure.error) && !this.#options.tolerate?.(failure.error)) this.#parts.failed(failure);
  }

  #comeBack(): void {
    const { clock, log } = this.#parts;
    const wait = Math.min(RESTART_MS * 2 ** (this.crashes - 1), MOST_RESTART_MS);
    const begin = (): void => {
      this.begin().catch((error: unknown) => log.error(`${this.#name} did not start again`, { error: String(error) }));
    };
    this.#restart = clock.after(wait, begin, { owner: `the restart of ${this.#name}` });
  }
}

/** Who a service account is to the server. */
function serviceAccount(text: string): Identity {
  const [namespace = "", name = "", more] = text.split("/");
  if (namespace === "" || name === "" || more !== undefined) {
    throw new Error(`expected as to be a service account such as default/my-operator, got ${JSON.stringify(text)}`);
  }
  const groups = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"];
  return { user: `system:serviceaccount:${namespace}:${name}`, groups };
}

/** Whether a failure is one that passes: a race, a busy or a broken server, a lost answer, or a fault that was asked for. */
function isForRetries(error: unknown): boolean {
  if (error instanceof BrokenOff) return true;
  if (!(error instanceof StatusError)) return false;
  const { code = 0 } = error.status;
  const passes = error.is("Conflict", "AlreadyExists", "NotFound", "TooManyRequests");
  return passes || code >= 500 || error.message.includes(ASKED_FOR);
}
