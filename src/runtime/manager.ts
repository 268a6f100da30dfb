import { type ApiObject, type Client, type Kind, type Scope, isStatus, nameOfKind, neutral } from "../client/index.ts";
import { Event, Lease } from "../client/kinds/index.ts";
import type { Activity } from "../util/activity.ts";
import { type Clock, type Random, seededRandom, sleep, systemClock, systemRandom } from "../util/clock.ts";
import { type Duration, millisOf } from "../util/duration.ts";
import { type Log, silentLog } from "../util/log.ts";
import { Beginnings } from "./beginnings.ts";
import { ControllerRun, type ControllerStatus } from "./controller-run.ts";
import type { Controller } from "./definition.ts";
import { Election, type LeaderElection } from "./election.ts";
import type { InformerSpec, Keep } from "./informer.ts";
import { type HeldInformer, Informers } from "./informers.ts";
import { KillSwitch } from "./kill-switch.ts";
import { metricsText } from "./metrics.ts";
import { Recorder, countedForm, seriesForm } from "./recorder.ts";
import { ServedKinds } from "./served-kinds.ts";
import type { Failure, ManagerParts } from "./manager-parts.ts";

/** The options of a manager. */
export interface ManagerOptions {
  readonly client: Client;
  /** Its name, in Events and logs. */
  readonly name: string;
  /** Default the system clock. */
  readonly clock?: Clock;
  /** A seed for reproducible randomness; system randomness by default. */
  readonly seed?: number;
  /** Leader election; without it controllers run at once. */
  readonly leaderElection?: LeaderElection;
  /** The dialect of the groups of Leases and Events. Default kubernetes. */
  readonly dialect?: "kubernetes" | "neutral";
  /** Whether Events are in the core group with counts, not in series. */
  readonly countedEvents?: boolean;
  readonly log?: Log;
  /** Counts pending work: first lists, keys and Events. */
  readonly activity?: Pick<Activity, "begin">;
  /** Whether objects are frozen, which costs a little. Default: unless NODE_ENV is production. */
  readonly freeze?: boolean;
  /** What informers keep of objects by default; everything where it is left out. */
  readonly keep?: Keep<ApiObject>;
  /** Called for each reconcile. */
  readonly started?: (controller: string, key: string) => void;
  /** Called for errors of reconciles, which are retried, and of predicates and mappings. */
  readonly failure?: (failure: Failure) => void;
}

/** How long informers, Events and the Lease may take to stop; later requests are dropped. */
const STOP_TIMEOUT_MS = 5000;

/**
 * A manager runs controllers and owns what they share. Managers are independent of each other.
 *
 *     const manager = createManager({ client, name: "my-operator" }).add(replicaSets, counter);
 *     await manager.start();
 *     ...
 *     await manager.stop();
 */
export class Manager implements AsyncDisposable {
  readonly #options: ManagerOptions;
  readonly #shared: ManagerParts;
  readonly #clock: Clock;
  readonly #election: Election | undefined;
  readonly #runs: ControllerRun[] = [];
  readonly #failed = Promise.withResolvers<Error>();
  #state: "new" | "started" | "stopped" = "new";
  #stopping: Promise<void> | undefined;

  constructor(options: ManagerOptions) {
    const { client, name, clock = systemClock, seed, log = silentLog } = options;
    const killSwitch = new KillSwitch();
    const random = seed === undefined ? systemRandom : seededRandom(seed);
    this.#options = options;
    this.#clock = killSwitch.clock(clock);
    const activity = killSwitch.activity(options.activity);
    const own = client.with({ userAgent: name, clock: this.#clock, through: killSwitch.transport });
    const failed = (error: unknown): void => this.#onError(error);
    const shared = { client: own, clock: this.#clock, random, activity };
    const following = { freeze: freezes(options), keep: options.keep };
    const isNeutral = options.dialect === "neutral";
    const kinds = new ServedKinds({ ...shared, failed: (error) => this.#warn(error) });
    this.#shared = {
      ...shared,
      log,
      killSwitch,
      instance: `${name}-${random.uuid().slice(0, 8)}`,
      informers: new Informers({ ...shared, kinds, failed, ...following, detectsSilence: !client.local }),
      beginnings: new Beginnings({ loop: this.#clock.loop, activity, failed }),
      kinds,
      recorder: new Recorder({
        ...shared,
        form: options.countedEvents ? countedForm : seriesForm(isNeutral ? neutral(Event) : Event),
        failed: (error) => this.#warn(error),
      }),
      started: (...told) => this.#safely(() => options.started?.(...told)),
      failed: (failure, isRetried) => this.#tell(failure, isRetried),
    };
    this.#election = this.#electionOf(own, isNeutral, random);
  }

  /** Adds controllers, also while it runs. @throws for a name that exists */
  add(...controllers: readonly Controller[]): this {
    for (const { name, definition } of controllers) {
      if (this.#state === "stopped") throw new Error(`expected a manager that is not stopped to add ${name} to`);
      if (this.#runs.some((run) => run.definition.name === name)) {
        throw new Error(`expected the name of a controller to be there once, got ${name} again`);
      }
      const run = new ControllerRun(definition, this.#shared);
      this.#runs.push(run);
      if (this.#state === "started") void this.#begin(run);
    }
    return this;
  }

  /** Returns the informer of a spec; it runs until all holders have disposed of it, or the manager stops. */
  informer<T extends ApiObject, S extends Scope, X extends string>(spec: InformerSpec<T, S, X>): HeldInformer<T, S, X> {
    return this.#shared.informers.hold(spec);
  }

  /** The served kinds, as they change. */
  get kinds(): ServedKinds {
    return this.#shared.kinds;
  }

  /** Resolves when each controller runs, stands by, or waits for a kind. */
  async start(): Promise<void> {
    if (this.#state !== "new") throw new Error("expected a manager to be started once");
    this.#state = "started";
    this.#election?.start();
    await Promise.all(this.#runs.map((run) => this.#begin(run)));
  }

  /** Resolves when an informer of a controller is refused (401, 403), which a retry does not fix. */
  get failed(): Promise<Error> {
    return this.#failed.promise;
  }

  /** Whether it has the lead. */
  get leading(): boolean {
    return this.#state === "started" && (this.#election?.leading ?? true);
  }

  /** The state of each controller. */
  status(): readonly ControllerStatus[] {
    return this.#runs.map(({ status }) => status);
  }

  /** Metrics in the text format of Prometheus. */
  metrics(): string {
    return metricsText(this.#runs.map(({ metrics }) => metrics));
  }

  /**
   * Takes no new keys, waits `grace` (30 s by default) for active ones, then aborts them and stops informers, Events
   * and the Lease. No controller code runs afterwards.
   */
  stop({ grace = "30s" }: { readonly grace?: Duration } = {}): Promise<void> {
    this.#stopping ??= this.#stop(millisOf(grace));
    return this.#stopping;
  }

  /** Simulates the death of the process: no later request reaches the server, and pending calls never return. */
  crash(): void {
    this.#state = "stopped";
    this.#stopping = Promise.resolve();
    this.#shared.killSwitch.kill();
    this.#shared.kinds.stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #stop(grace: number): Promise<void> {
    this.#state = "stopped";
    const drained = Promise.all(this.#runs.map((run) => run.drain()));
    await this.#within(grace, drained);
    const ended = await this.#within(grace, Promise.all(this.#runs.map((run) => run.stop())));
    if (!(await this.#within(STOP_TIMEOUT_MS, this.#leave(ended)))) this.#shared.killSwitch.kill();
  }

  /** @param ended whether all controllers have ended, so that another manager may lead */
  async #leave(ended: boolean): Promise<void> {
    this.#shared.kinds.stop();
    await this.#shared.informers.stop();
    await this.#shared.recorder.stop();
    await this.#election?.stop();
    if (ended) await this.#election?.release().catch((error: unknown) => this.#warn(error));
  }

  async #within(millis: number, work: Promise<unknown>): Promise<boolean> {
    const over = new AbortController();
    const late = sleep(this.#clock, millis, over.signal, { owner: this.#options.name }).then(() => false);
    const inTime = await Promise.race([work.then(() => true), late]);
    over.abort();
    return inTime;
  }

  #begin(run: ControllerRun): Promise<void> {
    if (this.leading || run.definition.needLeaderElection === false) run.lead();
    return run.start();
  }

  get #elected(): readonly ControllerRun[] {
    return this.#runs.filter(({ definition }) => definition.needLeaderElection !== false);
  }

  #electionOf(client: Client, isNeutral: boolean, random: Random): Election | undefined {
    const { leaderElection: election } = this.#options;
    if (!election) return undefined;
    return new Election({
      election,
      leases: client.resource(isNeutral ? neutral(Lease) : Lease),
      clock: this.#clock,
      random,
      won: () => this.#elected.forEach((run) => run.lead()),
      lost: async () => void (await Promise.all(this.#elected.map((run) => run.resign()))),
      failed: (error) => this.#warn(error),
    });
  }

  /** An informer failed and retries; a refusal is reported. */
  #onError(error: unknown): void {
    this.#warn(error);
    if (isStatus(error, "Unauthorized", "Forbidden")) this.#failed.resolve(error);
  }

  #tell(failure: Failure, isRetried: boolean): void {
    const { controller, key, error } = failure;
    const message = isRetried ? "reconcile failed, will retry" : "a predicate or a mapping failed for an object";
    const facts = { controller, ...this.#subjectOf(controller, key), error: String(error) };
    this.#shared.log.warn(message, facts, controller);
    this.#safely(() => this.#options.failure?.(failure));
  }

  /** The object of a key, or the key itself. */
  #subjectOf(controller: string, key: string): { readonly object: string } | { readonly key: string } {
    const { definition } = this.#runs.find((run) => run.definition.name === controller) ?? {};
    if (!definition || !("for" in definition)) return { key };
    const kind: Pick<Kind, "group" | "plural"> = "plural" in definition.for ? definition.for : definition.for.kind;
    return { object: `${nameOfKind(kind)} ${key}` };
  }

  /** Calls an observer; its errors are only logged. */
  #safely(observe: () => void): void {
    try {
      observe();
    } catch (error) {
      this.#warn(error);
    }
  }

  #warn(error: unknown): void {
    if (this.#state !== "stopped")
      this.#shared.log.warn("a manager continues after a failure", {
        manager: this.#options.name,
        error: String(error),
      });
  }
}

const freezes = ({ freeze }: ManagerOptions): boolean => freeze ?? process.env["NODE_ENV"] !== "production";

/** Creates a manager; {@link Manager.start} starts it. */
export const createManager = (options: ManagerOptions): Manager => new Manager(options);
