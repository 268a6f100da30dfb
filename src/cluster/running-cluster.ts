/**
 * A cluster whose parts are open: a server that is made on first use, clients in this process, controllers.
 *
 * @module
 */
import { ADMIN } from "../auth/admin.ts";
import type { Identity } from "../auth/contract.ts";
import { REPORT_GROUP } from "../meta/ownership-reports.ts";
import { REPORT_LIMIT } from "../meta/report-limit.ts";
import { tooManyRequests } from "../meta/status.ts";
import { Client, type LocalServer } from "../client/index.ts";
import type { Extension, KeptExtension } from "../extension/index.ts";
import type { FlowConfiguration } from "../fairness/index.ts";
import type { Dialect } from "../meta/dialect.ts";
import {
  type KeptRegistry,
  type Kinds,
  type UnreadableRecord,
  keepRegistry,
  waitUntilFresh,
} from "../registry/index.ts";
import { type Controller, type Manager, createManager, withoutManagedFields } from "../runtime/index.ts";
import type { ApiContext } from "../schema/definition.ts";
import { DEFAULT_FILTERS, type HealthCheck, type Route, type ServerHandle, createServer } from "../server/index.ts";
import type { Store } from "../storage/contract.ts";
import type { TrialReport } from "../meta/trial-report.ts";
import type { TrialParts } from "../trial/index.ts";
import type { Clock } from "../util/clock.ts";
import { type Log, silentLog } from "../util/log.ts";
import { Semaphore } from "../util/semaphore.ts";
import type { Value } from "../value/value.ts";
import { type CacheChecks, checkCache } from "./cache-checks.ts";
import { CONTROLLERS_LEASE, leaseNamespace } from "./components.ts";
import type { Cluster, ClusterParts, KeptCluster, TryOptions } from "./contract.ts";
import { DefaultRoles, SERVER_ITSELF } from "./default-roles.ts";
import type { FlowObjects } from "./flow-objects.ts";
import type { ClusterRegistry } from "./handlers.ts";
import { cacheCheck, roomCheck, storeCheck, syncCheck } from "./health.ts";
import { inProcessTransport } from "./in-process.ts";
import { planRoute } from "./plan-route.ts";
import type { PlanningParts } from "./planning.ts";
import { planPartsOf } from "./planning.ts";
import { cacheMetrics, processMetrics, storeMetrics } from "./metrics.ts";
import type { Own } from "./own.ts";
import { servedKindsOf } from "./served-kinds.ts";
import { metricsController } from "./simulated-metrics.ts";
import { countSimulatedNodes } from "./simulated-nodes.ts";
import { simulatedPrograms } from "./simulated-programs.ts";
import { policyKindsOf } from "./handlers.ts";
import { type PreparedTrial, tryRoute } from "./try-route.ts";
import { whyRoute } from "./why-route.ts";

const GRACE_MS = 10_000;

/** Concurrent trials of policies; others wait. */
const MAX_TRIALS = 2;
/** Each waiting trial holds its documents. */
const MAX_WAITING_TRIALS = 8;

/** The subject of errors of the store. */
const TRIALS = { group: REPORT_GROUP, plural: "trials", kind: "Trial" };

/** The state of a cluster from which a fork begins. */
export interface Kept {
  readonly registry: KeptRegistry;
  readonly definitions: KeptExtension | undefined;
  /** The latest configuration of fairness. */
  readonly configuration: FlowConfiguration | undefined;
}

/** The open parts when the cluster begins to serve. */
export interface OpenParts {
  readonly own: Own;
  readonly built: ClusterRegistry;
  readonly flow: FlowObjects;
  readonly extension: Extension | undefined;
  /** The opened parts; the last is closed first. */
  readonly opened: AsyncDisposableStack;
  /** Makes a fork. */
  readonly forkOf: (parts: ClusterParts, kept: Kept) => Cluster;
  /** Makes the extension of a fork in which documents are planned. */
  readonly extend: PlanningParts["extend"];
}

/** A cluster whose parts are open. */
export class RunningCluster implements Cluster {
  readonly #parts: ClusterParts;
  readonly #open: OpenParts;
  readonly #roles: DefaultRoles | undefined;
  readonly #local: LocalServer;
  readonly #transport: ReturnType<typeof inProcessTransport>;
  readonly #serve: () => ServerHandle;
  readonly #trials = new Semaphore(MAX_TRIALS);
  /** Made on first use: a cluster that is only forked needs none. */
  #server: ServerHandle | undefined;
  #graceMillis = GRACE_MS;
  #closing: Promise<void> | undefined;

  constructor(parts: ClusterParts, open: OpenParts) {
    const { built, own, opened } = open;
    const { log = silentLog } = parts;
    this.#parts = parts;
    this.#open = open;
    this.#local = { onKindsChange: (listener) => built.kinds.onChange(listener), kinds: servedKindsOf(built.kinds) };
    this.#transport = inProcessTransport({ inject: (request) => this.server.inject(request) });
    const checks = parts.checks === false ? undefined : startChecks(own, built, { log, opened });
    const roles = defaultRolesOf(parts, built, own.api, () => this.client("keelson", SERVER_ITSELF));
    opened.defer(() => this.#stop());
    opened.defer(() => roles?.close());
    this.#roles = roles;
    const { extension, extend } = open;
    const routes = [
      whyRoute(
        (identity) => this.client("keelson-why", identity),
        () => this.#controllersThatRun(),
      ),
      planRoute(planPartsOf({ parts, own, built, extension, extend })),
      tryRoute((documents, identity) => this.#prepareTrial(documents, identity)),
    ];
    const mismatches = (): number => checks?.mismatches ?? 0;
    this.#serve = () => serverOf(parts, { own, built, routes, mismatches, health: roles ? [roles.health] : [] });
  }

  get store(): Store {
    return this.#parts.store;
  }

  get dialect(): Dialect {
    return this.#parts.dialect;
  }

  get kinds(): Kinds {
    return this.#open.built.kinds;
  }

  get server(): ServerHandle {
    return (this.#server ??= this.#serve());
  }

  unreadable(): readonly UnreadableRecord[] {
    return this.#open.built.unreadable();
  }

  readAgain(): Promise<number> {
    return this.#open.built.cacher.readAgain();
  }

  makeRoles(): Promise<void> {
    return this.#roles?.make() ?? Promise.resolve();
  }

  client(userAgent: string, identity: Identity = ADMIN): Client {
    return new Client(this.#transport(identity), { userAgent, clock: this.#open.own.api.clock, local: this.#local });
  }

  async start(
    controllers: readonly Controller[],
    { isShared = false, freeze = true }: { readonly isShared?: boolean; readonly freeze?: boolean } = {},
  ): Promise<void> {
    if (controllers.length === 0) return;
    const manager = this.#manager(isShared, freeze).add(...controllers);
    this.#open.own.running.push({ controllers, manager });
    await manager.start();
  }

  simulatedNodes(): Promise<number> {
    return countSimulatedNodes(this.#open.built.lookup);
  }

  simulationControllers(): readonly Controller[] {
    const { simulation } = this.#parts;
    const simulated = simulation?.();
    return simulation && simulated ? [...simulated.controllers, metricsController(this.kinds, simulation)] : [];
  }

  async tryPolicies(
    documents: readonly Value[],
    { identity = ADMIN, limit = REPORT_LIMIT.usual, signal }: Partial<TryOptions> = {},
  ): Promise<TrialReport> {
    const tryThem = await this.#prepareTrial(documents, identity);
    return tryThem({ identity, limit, ...(signal ? { signal } : {}) });
  }

  keep(still: Store, then: Clock): KeptCluster {
    const { built, extension, flow, own, forkOf } = this.#open;
    const parts = { ...this.#parts, gates: own.api.gates };
    const kept = {
      registry: keepRegistry(built, still, then),
      definitions: extension?.keep(),
      configuration: flow.configuration,
    };
    return { dialect: parts.dialect, fork: (others) => forkOf({ ...parts, ...others }, kept) };
  }

  close(graceMillis = GRACE_MS): Promise<void> {
    this.#graceMillis = graceMillis;
    return (this.#closing ??= this.#open.opened.disposeAsync());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** The names of the running controllers, without the prefix of built-in ones; undefined for none. */
  #controllersThatRun(): ReadonlySet<string> | undefined {
    const { running } = this.#open.own;
    if (running.length === 0) return undefined;
    return new Set(running.flatMap(({ controllers }) => controllers.map(({ name }) => name.replace(/^keelson-/, ""))));
  }

  /** Reads the documents of a trial; rejects with 400 or 422 where the server would refuse them. */
  async #prepareTrial(documents: readonly Value[], identity: Identity): Promise<PreparedTrial> {
    this.#refuseMoreTrials();
    const { checkRights, readDocuments, tryPolicies } = await import("../trial/index.ts");
    const parts = this.trialParts();
    const { cacher } = this.#open.built;
    await waitUntilFresh({ ref: TRIALS, shared: { cacher, store: parts.store } });
    const sources = documents.map((value, i) => ({ value, from: `document ${i + 1}` }));
    const read = await readDocuments(sources, parts);
    await checkRights(parts, read, identity);
    return (options) => {
      this.#refuseMoreTrials();
      return this.#trials.run(() => tryPolicies(parts, read, options), options.signal);
    };
  }

  #refuseMoreTrials(): void {
    if (this.#trials.waiting < MAX_WAITING_TRIALS) return;
    throw tooManyRequests(
      `${MAX_WAITING_TRIALS} trials of policies wait already; try again later`,
      "trials of policies",
    );
  }

  trialParts(): TrialParts {
    const { built, own } = this.#open;
    const { api, threads, hooks } = own;
    const { kinds, lookup, handlers } = built;
    const { authorizer } = handlers;
    const { store, services } = this.#parts;
    const policyKinds = policyKindsOf(built);
    return { api, kinds, lookup, authorizer, threads, hooks, services, store, policyKinds };
  }

  /** Runs controllers, on this server alone or on the elected one of those that share the store. */
  #manager(isShared: boolean, freeze: boolean): Manager {
    const { dialect, log = silentLog, server } = this.#parts;
    const { api, chance } = this.#open.own;
    const { clock } = api;
    const leaderElection = { lease: { namespace: leaseNamespace(dialect), name: CONTROLLERS_LEASE } };
    return createManager({
      client: this.client("keelson-controllers"),
      name: "keelson-controllers",
      clock,
      seed: Math.floor(chance.next() * 2 ** 32),
      dialect: dialect.name,
      countedEvents: true,
      keep: withoutManagedFields,
      freeze,
      log,
      ...(server?.activity ? { activity: server.activity } : {}),
      ...(isShared ? { leaderElection } : {}),
    });
  }

  /** Stops controllers and the server. Controllers are clients: they get responses while the server completes running requests. */
  async #stop(): Promise<void> {
    const grace = this.#graceMillis;
    const stopped = this.#open.own.running.splice(0).map(({ manager }) => manager.stop({ grace }));
    await Promise.all([...stopped, this.#server?.close(grace)]);
  }
}

/** Compares cache and pools with the store at intervals, until closed. */
function startChecks(
  { api, chance }: Own,
  built: ClusterRegistry,
  { log, opened }: { readonly log: Log; readonly opened: AsyncDisposableStack },
): CacheChecks {
  const checks = opened.adopt(checkCache({ ...api, random: chance }, built, log), (one) => one.close());
  const repairs = built.startRepairs(chance, (error) =>
    log.error("the allocations of Services could not be repaired", { error: String(error) }),
  );
  opened.defer(() => repairs.close());
  return checks;
}

/** Creates the default roles; undefined where there are none. */
function defaultRolesOf(
  { defaultRoles = false, log = silentLog, server: { filters = DEFAULT_FILTERS } = {} }: ClusterParts,
  built: ClusterRegistry,
  api: ApiContext,
  client: () => Client,
): DefaultRoles | undefined {
  if (!defaultRoles || !built.kinds.stored("clusterroles.rbac.authorization.k8s.io")) return undefined;
  const isSeen = filters !== DEFAULT_FILTERS;
  return new DefaultRoles({
    api,
    lookup: built.lookup,
    client,
    log,
    provision: isSeen ? undefined : (objects) => built.provision(objects, () => {}),
  });
}

/** The parts of the server of a cluster, besides the parts of the cluster. */
interface Served {
  readonly own: Own;
  readonly built: ClusterRegistry;
  readonly routes: readonly Route[];
  readonly mismatches: () => number;
  readonly health: readonly HealthCheck[];
}

/** The server over the registry, with the health checks, metrics and routes of the cluster. */
function serverOf(parts: ClusterParts, { own, built, routes, mismatches, health }: Served): ServerHandle {
  const { store, log = silentLog, server = {} } = parts;
  const { clock, dialect } = own.api;
  const watched = { clock, stored: () => store.revision, cached: () => built.cacher.stats(), kinds: built.kinds };
  return createServer({
    registry: built.kinds,
    authenticator: built.handlers.authenticator,
    authorizer: built.handlers.authorizer,
    dialect,
    clock: parts.wallClock ?? clock,
    objectTime: () => clock.now(),
    random: own.chance,
    log,
    threads: own.threads,
    fairness: own.fairness,
    version: "0.0.0",
    ...server,
    ...(parts.simulation
      ? {
          programs: simulatedPrograms({
            lookup: built.lookup,
            clock,
            simulation: parts.simulation,
            others: server.programs,
          }),
        }
      : {}),
    routes: [...routes, ...(server.routes ?? [])],
    health: [
      storeCheck(own.storeFailed),
      cacheCheck(watched),
      syncCheck(watched),
      ...(store.space ? [roomCheck(store)] : []),
      ...health,
      ...(server.health ?? []),
    ],
    collectors: [
      storeMetrics(store),
      cacheMetrics(built.cacher, mismatches),
      processMetrics(),
      ...built.handlers.admissionMetrics,
      own.podSecurity.collector,
      ...(server.collectors ?? []),
    ],
  });
}
