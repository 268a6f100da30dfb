/**
 * The implementation of a test cluster, in front of its current server.
 *
 * The server is created from a moment when it is first needed, and replaced by a reset; clock, traffic, faults, senders and ports
 * stay.
 *
 * @module
 */
import { ADMIN, adminToken } from "../auth/admin.ts";
import { accountTokens } from "../auth/account-authenticator.ts";
import { certificateUsers } from "../auth/certificates.ts";
import { authenticatorChain } from "../auth/chain.ts";
import type { Authenticator, Identity, AuthContext } from "../auth/contract.ts";
import { type TokenSigner, tokenSigner } from "../auth/service-account-tokens.ts";
import { type TokenKeys, tokenKeys } from "../auth/token-keys.ts";
import {
  type ApiObject,
  type ApplyConfiguration,
  Client,
  type Kind,
  type LocalServer,
  type Manifest,
  type PlanReport,
  type Transport,
  apiVersionOf,
} from "../client/index.ts";
import { readManifests, readTexts } from "../client/manifests.ts";
import type { Node } from "../client/kinds/index.ts";
import { inProcessTransport } from "../cluster/index.ts";
import type { Controller } from "../runtime/index.ts";
import type { TrialReport } from "../meta/trial-report.ts";
import type { Dialect } from "../meta/dialect.ts";
import { type Pki, createPki } from "../pki/index.ts";
import type { Exchange } from "../server/request/exchange.ts";
import type { Registry } from "../registry/index.ts";
import type { Filter, Route, ServerHandle } from "../server/index.ts";
import type { MemoryStore } from "../storage/memory/store.ts";
import { type ImageScript, type NodeOptions, type Simulation, createSimulation } from "../simulation/index.ts";
import { Activity } from "../util/activity.ts";
import { type SeededRandom, seededRandom, systemClock } from "../util/clock.ts";
import { type Log, silentLog } from "../util/log.ts";
import type { Value } from "../value/value.ts";
import { applyToCluster } from "./apply.ts";
import { type TestClock, VirtualClock, machineClock, mayWait } from "./clock.ts";
import type { Cluster, ClusterOptions, Mark } from "./contract.ts";
import { type Endpoint, HOSTS, openEndpoint } from "./endpoint.ts";
import { applyAllOn, planOn } from "./plan.ts";
import { type ReportedEvent, eventsOf } from "./events.ts";
import { watchExpires } from "./fault.ts";
import { FaultBook } from "./faults.ts";
import { filtersOf } from "./filters.ts";
import { Run, type RunOptions, type RunParts, type Running } from "./run.ts";
import { Sender, setSender } from "./sender.ts";
import { type TestSimulation, testSimulation } from "./simulated.ts";
import { FailureMonitor, type SettleOptions, settle } from "./settled.ts";
import { type Recording, type RequestMatch, type RequestRecord, Traffic } from "./traffic.ts";
import { type TestWebhook, WebhookBook, type WebhookHandler, type WebhookOptions } from "./webhooks.ts";
import { type Moment, type Serving, momentOf, serverFrom, snapshotOf } from "./world.ts";

/** The time for clients of a port to read the last responses. */
const GRACE_MS = 1000;

/** How long a patient cluster waits: 100 passes of the loop without work, a number that load on the machine does not change. */
const PATIENCE = { limit: "5s", looks: 100 } as const;

/** The settings that a cluster and its forks share. */
export interface Settings {
  readonly dialect: Dialect;
  readonly virtual: boolean;
  readonly builtIn: readonly Controller[];
  /** Further ones that simulated nodes bring. */
  readonly forNodes: readonly Controller[];
  readonly seed: number;
  readonly log: Log;
  /** Whether its cache is compared with its store from time to time; it is by default. */
  readonly checks?: boolean;
  /** The default of {@link SettleOptions.hot}. */
  readonly hot?: number;
}

/** A moment with its running controllers. */
interface MarkedMoment extends Moment {
  readonly runs?: readonly Run[];
}

/** A log without warnings: failures of controllers are reported by `settled()`. */
const errorLog = (log: Log): Log => ({ ...silentLog, error: (message, facts) => log.error(message, facts) });

/** Returns an apply configuration as a manifest. */
const manifestOf = <T extends ApiObject>(kind: Kind<T>, config: ApplyConfiguration<T>): Manifest => ({
  ...(config as unknown as Pick<Manifest, "metadata">),
  apiVersion: apiVersionOf(kind),
  kind: kind.kind,
});

/** A port of a cluster. */
export interface PortOptions {
  readonly port?: number;
  /** The program for a connection; none for other users. */
  readonly sender?: () => Sender;
  /** Called with each request before it is handled. */
  readonly seen?: (exchange: Exchange) => void;
}

/** The options of a fork, besides those of {@link Cluster.fork}. */
export interface ForkOptions {
  readonly seed?: number;
  /** Filters that requests pass right before they are handled. */
  readonly filters?: readonly Filter[] | undefined;
  /** Whether `settled()` waits as long as any work begins or ends, however slow the machine is, and not only while there are writes. */
  readonly isPatient?: boolean;
  /** Settings in which it differs. */
  readonly settings?: Partial<Pick<Settings, "checks" | "hot">>;
}

/** The inside of a cluster. */
export interface Inside {
  readonly activity: Activity;
  readonly store: MemoryStore;
  readonly registry: Registry;
  readonly run: RunParts;
  /** A client as built-in controllers have it. */
  readonly client: (userAgent: string, identity: Identity) => Client;
  readonly handle: ServerHandle["handle"];
  readonly inject: ServerHandle["inject"];
  /** Whether it has simulated nodes. */
  readonly simulated: boolean;
}

/** A running server. */
interface Live extends Serving {
  readonly random: SeededRandom;
  readonly closing: AbortController;
  /** Simulates nodes, once there are some. */
  simulation: Simulation | undefined;
  /** Whether the built-in controllers have been started. */
  hasControllers: boolean;
  /** Whether those of the simulation have. */
  hasSimulated: boolean;
}

/** A moment, and facts of its time: while they are unchanged, it is the current moment. */
interface KnownMoment {
  readonly mark: readonly unknown[];
  readonly moment: Moment;
}

/** A test cluster; `begin()` must be called unless it is a fork. */
export class TestCluster implements Cluster {
  readonly #settings: Settings;
  readonly #routes: readonly Route[];
  readonly #filters: readonly Filter[];
  readonly #isPatient: boolean;
  readonly #activity = new Activity(systemClock);
  readonly #traffic = new Traffic();
  readonly #test = new Sender("test");
  readonly #subject = new Sender("subject");
  readonly #endpoints = new Set<Endpoint>();
  readonly #kindsListeners = new Set<() => void>();
  readonly #runs = new Set<Run>();
  readonly #webhooks: WebhookBook;
  readonly #failures: FailureMonitor;
  readonly #virtual: VirtualClock | undefined;
  readonly clock: TestClock;
  readonly faults: FaultBook;
  readonly simulation: TestSimulation;
  /** The default of `reset()`. */
  #origin: Moment;
  /** Created when it is first needed, so that an unused fork costs nothing. */
  #live: Live | undefined;
  /** The last moment that was created. */
  #last: KnownMoment | undefined;
  #pki: Pki | undefined;
  #tokenKeys: TokenKeys | undefined;
  #closed: Promise<void> | undefined;

  constructor(
    settings: Settings,
    origin: Moment,
    routes?: ClusterOptions["routes"],
    webhooks: WebhookBook = new WebhookBook(),
    { filters = [], isPatient = false }: Omit<ForkOptions, "seed"> = {},
  ) {
    this.#filters = filters;
    this.#isPatient = isPatient;
    this.#settings = settings;
    this.#webhooks = webhooks;
    this.#origin = origin;
    this.#routes = routes?.(() => this) ?? [];
    this.#virtual = settings.virtual ? new VirtualClock(origin.now, 0, () => this.settled()) : undefined;
    this.clock = this.#virtual ?? machineClock();
    this.#failures = new FailureMonitor(this.clock, (controller) => this.#lastWrites(controller));
    this.faults = new FaultBook(origin.random.fork());
    this.simulation = testSimulation(
      () => this.#simulated(),
      () => this.client(),
      () => this.#startedSimulation(),
    );
  }

  /** Waits for the first work of the built-in controllers, and makes the result the initial state. */
  async begin(): Promise<Moment> {
    if (this.#settings.builtIn.length === 0 && !this.#live?.simulation) return this.#origin;
    await this.settled();
    this.#origin = this.#moment();
    this.#traffic.clear();
    return this.#origin;
  }

  client(userAgent = "test"): Client {
    return this.#clientOf(this.#test, ADMIN, userAgent);
  }

  as({ user, groups = [] }: { readonly user: string; readonly groups?: readonly string[] }): Client {
    const identity = { user, groups: [...groups, "system:authenticated"] };
    return this.#clientOf(this.#subject, identity, user);
  }

  async apply<T extends ApiObject>(
    first?: string | Manifest | Kind<T>,
    ...rest: readonly (string | Manifest | ApplyConfiguration<T>)[]
  ): Promise<readonly T[]> {
    const kind = typeof first === "object" && "plural" in first ? (first as Kind<T>) : undefined;
    const found = kind
      ? (rest as ApplyConfiguration<T>[]).map((config) => ({ manifest: manifestOf(kind, config), from: "typed" }))
      : ([first, ...rest] as (string | Manifest | undefined)[]).flatMap((one) => (one ? readManifests(one) : []));
    return (await applyToCluster(this.client(), () => this.#server().core.kinds, found)) as readonly T[];
  }

  plan(...sources: readonly (string | Manifest)[]): Promise<PlanReport> {
    return planOn(this.client(), sources);
  }

  applyAll(...sources: readonly (string | Manifest)[]): Promise<readonly ApiObject[]> {
    return applyAllOn(this.client(), sources);
  }

  async run(controllers: Controller | readonly Controller[], options: RunOptions = {}): Promise<Running> {
    this.#mayAct();
    this.#startControllers();
    const run = new Run(this.#runParts(), [controllers].flat() as readonly Controller[], options);
    this.#runs.add(run);
    try {
      await run.begin();
    } catch (error) {
      this.#runs.delete(run);
      throw error;
    }
    return run;
  }

  async settled({ limit = "5s", hot = this.#settings.hot }: SettleOptions = {}): Promise<void> {
    this.#mayAct();
    mayWait("settled() cannot be awaited");
    this.#startControllers();
    try {
      const activity = this.#activity;
      const revision = (): number => this.#live?.store.revision ?? 0;
      const progress = this.#isPatient ? () => revision() + activity.progress : revision;
      const patience = this.#isPatient ? PATIENCE : { limit };
      await settle({ activity, progress }, patience, this.#failures.alarmAt(hot));
      this.#failures.reset();
    } finally {
      this.#failures.raise();
    }
  }

  async track<V>(work: Promise<V>): Promise<V> {
    const end = this.#activity.begin("work of the test");
    try {
      return await work;
    } finally {
      end();
    }
  }

  tryPolicies(...documents: readonly (string | Manifest)[]): Promise<TrialReport> {
    const values = documents.flatMap((one) => readManifests(one)).map(({ manifest }) => manifest as unknown as Value);
    return this.#server().core.tryPolicies(values);
  }

  async nodes(count: number, options: NodeOptions = {}): Promise<readonly Node[]> {
    this.#mayAct();
    return this.#simulated().addNodes(this.client(), count, options);
  }

  image(pattern: string, script: ImageScript): void {
    this.#mayAct();
    this.#simulated().image(pattern, script);
  }

  stages(...sources: readonly string[]): void {
    this.#mayAct();
    for (const { text, from } of sources.flatMap((source) => readTexts(source))) this.#simulated().stages(text, from);
  }

  /** Goes on with the simulation of nodes that are stored. */
  async resume(): Promise<void> {
    if ((await this.#server().core.simulatedNodes()) > 0) this.#simulated();
  }

  webhook<T extends ApiObject>(options: WebhookOptions<T>, handler: WebhookHandler<T>): Promise<TestWebhook> {
    return this.#webhooks.add(this.client(), options, handler);
  }

  fork({ seed, settings, ...options }: ForkOptions = {}): TestCluster {
    this.#mayAct();
    const moment = this.#moment();
    const own = seed === undefined ? moment : { ...moment, random: seededRandom(seed) };
    return new TestCluster({ ...this.#settings, ...settings }, own, undefined, this.#webhooks.fork(), options);
  }

  /** The parts that programs outside of {@link run} need, and the view of all stored objects. */
  get inside(): Inside {
    const { store, core } = this.#server();
    return {
      activity: this.#activity,
      store,
      registry: core.kinds,
      run: this.#runParts(),
      client: (userAgent, identity) => core.client(userAgent, identity),
      handle: (exchange) => core.server.handle(exchange),
      inject: (request) => core.server.inject(request),
      simulated: this.#live?.simulation !== undefined,
    };
  }

  mark(): Mark {
    this.#mayAct();
    return { ...this.#moment(), runs: [...this.#runs] } satisfies MarkedMoment as unknown as Mark;
  }

  async reset(to?: Mark): Promise<void> {
    this.#mayAct();
    const moment: MarkedMoment = (to as unknown as MarkedMoment | undefined) ?? this.#origin;
    const live = this.#live;
    for (const run of this.#runs) run.kill();
    this.#runs.clear();
    this.faults.clear();
    this.faults.playAll(watchExpires());
    this.#traffic.clear();
    this.#virtual?.set(moment.now);
    // A higher revision, so that watches from the last revision before do not continue.
    this.#live = this.#begin(moment, (live ?? this.#origin).store.revision + 1);
    if (live) await this.#end(live);
    for (const run of moment.runs ?? []) {
      this.#runs.add(run);
      await run.begin();
    }
  }

  snapshot(): Uint8Array {
    this.#mayAct();
    return snapshotOf(this.#moment());
  }

  requests(match?: RequestMatch): readonly RequestRecord[] {
    return this.#traffic.requests(match);
  }

  record(match?: RequestMatch): Recording {
    return this.#traffic.record(match);
  }

  events(about?: ApiObject): Promise<readonly ReportedEvent[]> {
    return eventsOf(this.client(), about);
  }

  listen({ port = 0 }: { readonly port?: number } = {}): Promise<Endpoint> {
    return this.listenFor({ port });
  }

  /** Opens a port, whose requests may be those of one program. */
  async listenFor({ port = 0, sender, seen }: PortOptions): Promise<Endpoint> {
    this.#mayAct();
    this.#startControllers();
    // Clients of a port must not wait for long work.
    if (this.#virtual) this.#virtual.loop.isTimed = true;
    const pki = this.#certificates();
    const endpoint = await openEndpoint(
      port,
      pki,
      (exchange) => {
        if (exchange.method !== "GET") this.#failures.reset();
        if (sender) setSender(exchange.connection, sender);
        seen?.(exchange);
        this.#server().core.server.handle(exchange);
      },
      () => this.#endpoints.delete(endpoint),
    );
    this.#endpoints.add(endpoint);
    if (this.#closed) {
      await endpoint.close();
      this.#mayAct();
    }
    return endpoint;
  }

  get realTime(): boolean {
    return !this.#settings.virtual || this.#endpoints.size > 0;
  }

  get version(): number {
    return this.#server().store.revision;
  }

  async changed(since: number, withinMillis: number): Promise<void> {
    const { store } = this.#server();
    const change = Promise.withResolvers<void>();
    const tell = (): void => change.resolve();
    const watch = store.watch("", since, { events: tell, ended: tell });
    const timer = systemClock.after(withinMillis, tell, { holds: true });
    try {
      await change.promise;
    } finally {
      watch.close();
      timer.cancel();
    }
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    const unmet = this.faults.pending().map(({ what }) => what);
    if (unmet.length > 0)
      this.#settings.log.warn(`a cluster was closed with faults that no request met: ${unmet.join("; ")}`);
    // Controllers stop before their server.
    await Promise.all([...this.#runs].map((run) => run.stop()));
    const live = this.#live;
    this.#live = undefined;
    // At the same time: a port waits for its watches, and the server ends them.
    await Promise.all([...[...this.#endpoints].map((endpoint) => endpoint.close()), live && this.#end(live)]);
  }

  #mayAct(): void {
    if (this.#closed) throw new Error("The cluster has been closed");
  }

  #moment(): Moment {
    const live = this.#live;
    if (!live) return this.#origin;
    const { kinds } = live.core;
    const mark = [live, live.store.revision, kinds.revision, kinds.generation, this.clock.now(), live.random.position];
    const last = this.#last;
    if (last && mark.every((part, at) => part === last.mark[at])) return last.moment;
    const moment = momentOf(live, this.clock.now(), live.random, live.simulation);
    // Running work may change the served kinds without a write.
    const isAtRest = this.#activity.count === 0 && kinds.revision === live.store.revision;
    // Images and files change without a write.
    this.#last = isAtRest && !live.simulation ? { mark, moment } : undefined;
    return moment;
  }

  #server(): Live {
    this.#mayAct();
    return (this.#live ??= this.#begin(this.#origin));
  }

  #runParts(): RunParts {
    const { dialect, log } = this.#settings;
    return {
      // A reset replaces the clock.
      clock: this.clock,
      activity: this.#activity,
      rest: () => (this.realTime ? new Promise(() => {}) : this.#activity.idle()),
      log: errorLog(log),
      dialect: dialect.name,
      seed: this.#runs.size + 1,
      client: (sender, identity = ADMIN, userAgent) => this.#clientOf(sender, identity, userAgent),
      onStart: this.#failures.started,
      onFailure: this.#failures.failed,
    };
  }

  #clientOf(sender: Sender, identity: Identity, userAgent: string): Client {
    return new Client(this.#transport(sender, identity), { userAgent, clock: this.clock, local: this.#local });
  }

  /** Notifies clients of changes of the served kinds. */
  readonly #local: LocalServer = {
    onKindsChange: (listener) => {
      const own = (): void => listener();
      this.#kindsListeners.add(own);
      return { [Symbol.dispose]: () => void this.#kindsListeners.delete(own) };
    },
  };

  #notifyKinds(): void {
    for (const listener of this.#kindsListeners) listener();
  }

  /** Describes the last five writes of a controller, for an error. */
  #lastWrites(controller: string): readonly string[] {
    const hasResponded = ({ userAgent, code }: RequestRecord): boolean =>
      userAgent === controller && code !== undefined;
    const writes = this.requests({ verb: "writes", where: hasResponded });
    return writes.slice(-5).map(({ verb, kind, namespace = "", name = "", subresource = "", changed }) => {
      const what = [`${namespace}/${name}`.replace(/^\//, ""), subresource].filter(Boolean).join(" ");
      return `${verb} ${kind} ${what}${changed ? "" : ", which changed nothing"}`;
    });
  }

  /** Returns the transport of a sender in this process; a write starts the built-in controllers. */
  #transport(sender: Sender, identity: Identity): Transport {
    const inject: Live["core"]["server"]["inject"] = (request) => {
      if (request.method !== "GET") this.#startControllers();
      if (request.method !== "GET" && !sender.crash) this.#failures.reset();
      return this.#server().core.server.inject({ ...request, connection: sender });
    };
    return inProcessTransport({ inject })(identity);
  }

  /** The simulation of nodes, made when it is first needed. */
  #simulated(): Simulation {
    this.#mayAct();
    const live = this.#server();
    if (live.simulation) return live.simulation;
    const { log, seed } = this.#settings;
    const host = { clock: this.#virtual?.manual ?? this.clock, activity: this.#activity };
    const onError = (error: unknown, where: string): void =>
      this.#failures.failed({ controller: "simulation", key: where, error });
    // Four Events for each start, and their expiry, would be most of the work of a simulated day.
    live.simulation = createSimulation(host, { seed, events: "unusual", log: errorLog(log), onError });
    return live.simulation;
  }

  /** Starts the simulation where it has not been started, and waits until it runs. */
  async #startedSimulation(): Promise<void> {
    this.#simulated();
    if (!this.#server().hasSimulated) await this.settled();
  }

  /** Starts the built-in controllers; in a fork without writes they would have nothing to do. */
  #startControllers(): void {
    const live = this.#server();
    if (live.hasControllers && (live.hasSimulated || !live.simulation)) return;
    const { builtIn, forNodes } = this.#settings;
    const started = [
      ...(live.hasControllers ? [] : builtIn),
      ...(live.simulation ? [...forNodes, ...live.core.simulationControllers()] : []),
    ];
    live.hasControllers = true;
    live.hasSimulated = live.simulation !== undefined;
    const end = this.#activity.begin("the start of the built-in controllers");
    const failed = (error: unknown): void => {
      if (!live.closing.signal.aborted)
        this.#settings.log.error("the built-in controllers did not start", { error: String(error) });
    };
    void live.core.start(started).catch(failed).finally(end);
  }

  #begin(moment: Moment, revision?: number): Live {
    const closing = new AbortController();
    const random = moment.random.fork();
    const clock = this.#virtual?.manual ?? this.clock;
    const simulation = moment.simulation?.fork({ clock, activity: this.#activity });
    const simulated: Pick<Live, "simulation"> = { simulation };
    const server = serverFrom(moment, {
      clock,
      random,
      activity: this.#activity,
      filters: filtersOf({
        traffic: this.#traffic,
        faults: this.faults,
        clock,
        closing: closing.signal,
        last: this.#filters,
      }),
      routes: this.#routes,
      authenticator: (context) => this.#authenticator(context),
      signer: () => this.#signer(random),
      hooks: this.#webhooks.hooks(clock),
      log: this.#settings.log,
      checks: this.#settings.checks ?? true,
      simulation: () => (this.#live ?? simulated).simulation,
      ...(revision === undefined ? {} : { revision }),
    });
    server.core.kinds.onChange(() => this.#notifyKinds());
    this.#notifyKinds();
    return { ...server, random, closing, simulation, hasControllers: false, hasSimulated: false };
  }

  #signer(random: SeededRandom): TokenSigner {
    const { dialect } = this.#settings;
    const { issuer, audiences } = this.#issuance;
    const issuance = { issuer, audiences, extendsExpiration: true };
    return tokenSigner(this.#keys, issuance, { dialect, clock: this.clock, random });
  }

  get #issuance(): { readonly issuer: string; readonly audiences: readonly string[] } {
    const issuer = `https://${this.#settings.dialect.labelDomain}`;
    return { issuer, audiences: [issuer] };
  }

  readonly #keys = (): TokenKeys => (this.#tokenKeys ??= tokenKeys(this.#certificates().tokenKeys[0]!, []));

  /** Authenticates clients of a port, and tokens; certificates are created when they are first needed. */
  #authenticator(context: AuthContext): Authenticator {
    const { dialect } = this.#settings;
    const { issuer, audiences } = this.#issuance;
    let made: Authenticator | undefined;
    const chain = (): Authenticator =>
      (made ??= authenticatorChain({
        ...context.api,
        certificate: certificateUsers({ dialect, now: () => systemClock.now() }),
        tokens: [
          adminToken(this.#certificates().adminToken, audiences),
          accountTokens({ keys: this.#keys, issuers: [issuer], audiences }, context),
        ],
        anonymous: () => dialect.rules.anonymousByRoles,
      }));
    return {
      authenticate: (credentials) => chain().authenticate(credentials),
      review: async (token, asked) => chain().review!(token, asked),
    };
  }

  #certificates(): Pki {
    return (this.#pki ??= createPki({ hosts: HOSTS, clock: systemClock }));
  }

  async #end(live: Live): Promise<void> {
    live.closing.abort();
    await live.core.close(GRACE_MS);
    live.simulation?.[Symbol.dispose]();
    await live.store.close();
  }
}
