/**
 * Controllers under test: a manager on the clock of the cluster, whose requests are subject to faults and recorded.
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
import { FAULT_REASON } from "./fault.ts";
import { Sender } from "./sender.ts";

/** The options of controllers; all have defaults. */
export interface RunOptions {
  /** Leader election; without it they run at once, as every renewal takes two requests. */
  readonly leaderElection?: LeaderElection;
  /** The service account of the controllers, `NAMESPACE/NAME`; the admin by default. */
  readonly as?: string;
  /** Whether they restart after a crash, after 10 s of the clock of the cluster, doubling. */
  readonly restart?: boolean;
  /** Errors that `settled()` accepts, in addition to those for which controllers retry. */
  readonly tolerate?: (error: unknown) => boolean;
}

/** Running controllers. */
export interface Running extends AsyncDisposable {
  /** Whether they hold the Lease, or need none. */
  readonly leading: boolean;
  /** The number of crashes. */
  readonly crashes: number;
  /** The errors of reconciles, tolerated or not. */
  readonly failures: readonly Failure[];
  /** Stops them gracefully. */
  stop(): Promise<void>;
  /** Kills them as `kill -9` does: no further request reaches the server, and running calls never resolve. */
  crash(): void;
}

/** The part of a cluster that controllers need. */
export interface RunParts {
  readonly clock: Clock;
  readonly activity: Activity;
  /** Resolves when nothing runs until the clock is moved. */
  readonly rest: () => Promise<void>;
  readonly log: Log;
  readonly dialect: "kubernetes" | "neutral";
  readonly seed: number;
  readonly client: (sender: Sender, identity: Identity | undefined, userAgent: string) => Client;
  /** Called with each reconcile. */
  readonly onStart: (controller: string, key: string) => void;
  /** Called with each error for which a retry is useless. */
  readonly onFailure: (failure: Failure) => void;
}

const RESTART_MS = 10_000;
const MAX_RESTART_MS = 300_000;
/** The real time for running reconciles before they are killed. */
const GRACE_MS = 1000;

/** Controllers of a test, which can crash and restart. */
export class Run implements Running {
  readonly #parts: RunParts;
  readonly #controllers: readonly Controller[];
  readonly #options: RunOptions;
  readonly #name: string;
  readonly failures: Failure[] = [];
  crashes = 0;
  #manager: Manager | undefined;
  /** Resolved when the current manager is killed. */
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
   * Starts the controllers; resolves when they run, have crashed, or wait for the clock. Rejects if a kind is not served, or their
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
      this.kill();
      throw error;
    }
  }

  /** Kills the controllers; they can be started again. */
  kill(): void {
    this.#restart?.cancel();
    this.#restart = undefined;
    this.#manager?.crash();
    this.#manager = undefined;
    this.#ended.resolve();
  }

  crash(): void {
    if (!this.#manager) return;
    this.kill();
    this.crashes++;
    if (this.#options.restart) this.#restartLater();
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
    // Reconciles that still run do not reach the server any more.
    manager.crash();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #make(): Manager {
    const { clock, activity, log, dialect, seed, client, onStart: started } = this.#parts;
    const { as, leaderElection } = this.#options;
    const sender = new Sender("subject", () => this.crash());
    return createManager({
      client: client(sender, as === undefined ? undefined : serviceAccount(as), this.#name),
      name: this.#name,
      clock: boundTo(clock),
      // A new seed after each crash, as a new process would have.
      seed: seed + this.crashes,
      dialect,
      log,
      activity,
      ...(leaderElection ? { leaderElection } : {}),
      started,
      failure: (failure) => this.#addFailure(failure),
    }).add(...this.#controllers);
  }

  #addFailure(failure: Failure): void {
    this.failures.push(failure);
    if (!isTransient(failure.error) && !this.#options.tolerate?.(failure.error)) this.#parts.onFailure(failure);
  }

  #restartLater(): void {
    const { clock, log } = this.#parts;
    const wait = Math.min(RESTART_MS * 2 ** (this.crashes - 1), MAX_RESTART_MS);
    const begin = (): void => {
      this.begin().catch((error: unknown) => log.error(`${this.#name} did not start again`, { error: String(error) }));
    };
    this.#restart = clock.after(wait, begin, { owner: `the restart of ${this.#name}` });
  }
}

/** Returns the identity of a service account. */
function serviceAccount(text: string): Identity {
  const [namespace = "", name = "", more] = text.split("/");
  if (namespace === "" || name === "" || more !== undefined) {
    throw new Error(`expected as to be a service account such as default/my-operator, got ${JSON.stringify(text)}`);
  }
  const groups = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"];
  return { user: `system:serviceaccount:${namespace}:${name}`, groups };
}

/** Whether a retry may succeed: after a conflict, an overloaded or failed server, a lost response, or an injected fault. */
function isTransient(error: unknown): boolean {
  if (error instanceof BrokenOff) return true;
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(isTransient);
  if (!(error instanceof StatusError)) return false;
  const { code = 0 } = error.status;
  const passes = error.is("Conflict", "AlreadyExists", "NotFound", "TooManyRequests");
  return passes || code >= 500 || error.message.includes(FAULT_REASON);
}
