/**
 * A cluster is a function of its parts: registry and cache over a store, a server over the registry, controllers as
 * clients of it. It opens no port, no file and no process, and needs no certificate.
 *
 *     store -> registry (cache, admission, verbs) -> server (filters, routes) -> clients and controllers, in process
 *
 * The program adds directory, certificates, ports and signals (`app/`); the testing kit adds a clock that stands still,
 * forks and faults (`testing/`).
 *
 * @module
 */
import { ADMIN, mastersAuthorizer } from "../auth/admin.ts";
import { authenticatorChain } from "../auth/chain.ts";
import type { Authenticator, Authorizer, Identity, TrustGround } from "../auth/contract.ts";
import type { TokenSigner } from "../auth/service-account-tokens.ts";
import { startChecks } from "../cache/index.ts";
import { Client, type LocalServer } from "../client/index.ts";
import {
  type Extension,
  type ExtensionParts,
  type KeptExtension,
  definitionPreview,
  startExtension,
} from "../extension/index.ts";
import { type Hooks, openHooks } from "../hooks/hooks.ts";
import { type KindSet, builtInDefinitions } from "../kinds/index.ts";
import type { Dialect } from "../meta/dialect.ts";
import type { ServiceRanges } from "../meta/service-ranges.ts";
import { type Gates, gatesOf } from "../meta/gates.ts";
import {
  type BuiltRegistry,
  type KeptRegistry,
  type Kinds,
  type RegistryOptions,
  type StartObject,
  type UnreadableRecord,
  buildRegistry,
  forkRegistry,
  keepRegistry,
} from "../registry/index.ts";
import type { AdmissionStep } from "../admission/contract.ts";
import type { PluginChoice } from "../admission/names.ts";
import { admissionSteps } from "../admission/steps.ts";
import type { ApiContext, ResourceDefinition } from "../schema/definition.ts";
import {
  type HealthCheck,
  type Route,
  type ServerHandle,
  type ServerOptions,
  DEFAULT_FILTERS,
  DEFAULT_LIMITS,
  ThreadPool,
  createServer,
} from "../server/index.ts";
import { type Controller, type Manager, createManager, withoutManagedFields } from "../runtime/index.ts";
import type { Store } from "../storage/contract.ts";
import { type Clock, type Random, systemClock, systemRandom } from "../util/clock.ts";
import { type Log, silentLog } from "../util/log.ts";
import { Fairness, type FlowConfiguration } from "../fairness/index.ts";
import { DefaultRoles, SERVER_ITSELF } from "./default-roles.ts";
import { CONTROLLERS_LEASE, type Running, componentStatuses, leaseNamespace } from "./components.ts";
import { FlowObjects } from "./flow-objects.ts";
import { cacheCheck, roomCheck, storeCheck, syncCheck } from "./health.ts";
import { inProcessTransport } from "./in-process.ts";
import { servedKindsOf } from "./served-kinds.ts";
import { startObjects } from "./start-objects.ts";
import { whyRoute } from "./why-route.ts";
import { cacheMetrics, processMetrics, storeMetrics } from "./metrics.ts";

/** What a cluster is made of. */
export interface ClusterParts {
  /** Where objects are kept; the caller closes it after the cluster. */
  readonly store: Store;
  readonly dialect: Dialect;
  /** Those of the dialect by default. */
  readonly gates?: Gates;
  /** The addresses and ports that Services are given. */
  readonly serviceRanges?: ServiceRanges;
  /** Whether containers may be privileged, and processes of the node; they may by default. */
  readonly allowsPrivileged?: boolean;
  /** The machine's by default. */
  readonly clock?: Clock;
  /** The machine's by default. */
  readonly random?: Random;
  /** Nothing is logged by default. */
  readonly log?: Log;
  /** Which built-in kinds there are; all by default. */
  readonly kinds?: KindSet | undefined;
  /** The built-in kinds by default. */
  readonly definitions?: readonly ResourceDefinition[];
  /** Recognises the credentials of requests; without it only {@link Cluster.client} gets in. */
  readonly authenticator?: (ground: TrustGround) => Authenticator;
  /** Members of `system:masters` may do everything and nobody else anything, by default. */
  readonly authorizer?: (ground: TrustGround) => Authorizer;
  /** Whether there are roles from the start, where roles decide: {@link Cluster.makeRoles} makes them. None by default. */
  readonly defaultRoles?: boolean;
  /** Signs tokens of service accounts; made when the first one is asked for. */
  readonly signer?: () => TokenSigner;
  /** Which steps of admission run; the usual ones of the dialect by default. */
  readonly plugins?: PluginChoice;
  /** Steps of admission that are added to them. */
  readonly steps?: readonly AdmissionStep[];
  readonly cache?: RegistryOptions["cache"];
  /** Whether requests run by priority and fairness (APF-9); by default. Else reads and writes are only counted (APF-22). */
  readonly fairness?: boolean;
  /** Asks webhooks; over HTTPS by default. */
  readonly hooks?: Hooks;
  /** What the server is given beside what the cluster gives it. */
  readonly server?: Partial<
    Pick<
      ServerOptions,
      | "health"
      | "filters"
      | "routes"
      | "programs"
      | "collectors"
      | "limits"
      | "compress"
      | "version"
      | "activity"
      | "faults"
    >
  >;
}

/** What a fork has of its own: a fork of the store, and whatever else is not as it was. */
export type ForkParts = Partial<ClusterParts> & Pick<ClusterParts, "store">;

/** A moment of a cluster. Nobody asks it; any number of clusters begin with it. */
export interface KeptCluster {
  readonly dialect: Dialect;
  /**
   * A cluster over a fork of the moment's store, in a time that does not depend on how much is stored. It has the kinds that
   * were served then and the parts of that cluster, where it is not given its own; no watches and no controllers.
   */
  fork(parts: ForkParts): Cluster;
}

/** A cluster that answers. */
export interface Cluster extends AsyncDisposable {
  readonly store: Store;
  readonly dialect: Dialect;
  /** The kinds that it serves: they come, change and go. */
  readonly kinds: Kinds;
  /** The records that cannot be read now: encrypted with a key that is not there, or damaged. */
  unreadable(): readonly UnreadableRecord[];
  /** Reads those again, when there is reason to believe that they can be read now; resolves to how many can. */
  readAgain(): Promise<number>;
  /** The server: exchanges, requests of this process, ports. */
  readonly server: ServerHandle;
  /**
   * Makes the roles that are there from the start and puts right those that lack something; once, however often it is called.
   * Resolves when they are there, or when not all could be made and are tried again; `/readyz` fails until they are. Nothing
   * to do without {@link ClusterParts.defaultRoles}.
   */
  makeRoles(): Promise<void>;
  /** A client in the same process, in the name of the admin by default. */
  client(userAgent: string, identity?: Identity): Client;
  /** This moment, for clusters to begin with; `store` is a fork of this one's that nobody writes to. */
  keep(store: Store, clock: Clock): KeptCluster;
  /**
   * Runs controllers on one manager; resolves when each has seen what there is, or stands by. Where several servers share
   * the store, `isShared`, they elect who runs them. What informers give out is frozen, so
   * that tests find who writes to it; not where `freeze` is false.
   */
  start(
    controllers: readonly Controller[],
    options?: { readonly isShared?: boolean; readonly freeze?: boolean },
  ): Promise<void>;
  /**
   * Stops controllers, ends watches, lets requests finish within `graceMillis` (10 s by default) and stops following
   * the store. The store stays open.
   */
  close(graceMillis?: number): Promise<void>;
}

const GRACE_MS = 10_000;

/** Puts a cluster together; it answers when this resolves. Rejects with CacheError or StoreError. */
export async function createCluster(parts: ClusterParts): Promise<Cluster> {
  const own = openOwn(parts);
  const built = await buildRegistry(registryOptions(parts, own));
  const flow = flowObjects(parts, built, own);
  await Promise.all([provisionAll(parts, built, own), flow.start()]);
  return assemble(parts, { built, flow, extension: await startExtension(extensionParts(parts, built, own)) }, own);
}

/** Makes what a cluster has from its start, where it is missing. A server that can make no more than namespaces serves, too. */
async function provisionAll(parts: ClusterParts, built: BuiltRegistry, { api }: Own): Promise<void> {
  const { log = silentLog, dialect } = parts;
  const { ofCluster, inNamespaces } = startObjects(api);
  const make = (objects: readonly StartObject[]): Promise<void> =>
    built.provision(objects, ({ resource, object }, error) =>
      log.warn("an object that is there from the start could not be made", {
        resource,
        name: object.metadata.name,
        error: String(error),
      }),
    );
  await Promise.all([built.provisionNamespaces(dialect.rules.systemNamespaces), make(ofCluster)]);
  await make(inNamespaces);
}

/** Keeps the objects that say how many requests run at a time. */
const flowObjects = (
  parts: ClusterParts,
  { kinds, lookup }: BuiltRegistry,
  { api, fairness }: Own,
  told?: FlowConfiguration,
): FlowObjects =>
  new FlowObjects({
    told,
    kinds,
    lookup,
    api,
    log: parts.log ?? silentLog,
    activity: parts.server?.activity,
    changed: (configuration) => fairness?.configure(configuration),
  });

/** What a cluster has of its own, a fork too. */
interface Own {
  readonly api: ApiContext;
  readonly hooks: Hooks;
  readonly threads: ThreadPool;
  readonly fairness: Fairness | undefined;
  /** The controllers of this process, with who runs them. */
  readonly running: (Running & { readonly manager: Manager })[];
  /** Whether the store has failed, and answers nobody any more. */
  readonly storeFailed: () => boolean;
}

function openOwn(parts: ClusterParts, configuration?: FlowConfiguration): Own {
  const { dialect, clock = systemClock, random = systemRandom, gates = gatesOf(dialect) } = parts;
  const threads = new ThreadPool(clock);
  return {
    api: {
      dialect,
      clock,
      random,
      gates,
      beside: threads,
      ...(parts.serviceRanges ? { serviceRanges: parts.serviceRanges } : {}),
      ...(parts.allowsPrivileged === undefined ? {} : { allowsPrivileged: parts.allowsPrivileged }),
    },
    hooks: parts.hooks ?? openHooks({ clock }),
    threads,
    fairness: parts.fairness === false ? undefined : new Fairness({ clock, seats: seatsOf(parts), configuration }),
    running: [],
    storeFailed: failureOf(parts.store),
  };
}

/** Remembers whether a store fails. */
function failureOf(store: Store): () => boolean {
  let failed = false;
  void store.failed.then(() => {
    failed = true;
  });
  return () => failed;
}

/** Requests that run at a time, reads and writes together. */
function seatsOf({ server }: ClusterParts): number {
  const { reads, writes } = { ...DEFAULT_LIMITS, ...server?.limits };
  return reads + writes;
}

const extensionParts = (
  parts: ClusterParts,
  { kinds, lookup }: BuiltRegistry,
  { api, hooks }: Own,
): ExtensionParts => ({
  kinds,
  lookup,
  api,
  hooks,
  log: parts.log ?? silentLog,
  activity: parts.server?.activity,
});

function registryOptions(parts: ClusterParts, { api, running, storeFailed }: Own): RegistryOptions {
  const { store, log = silentLog } = parts;
  return {
    api,
    store,
    definitions: parts.definitions ?? builtInDefinitions(api, parts.kinds),
    authorizer: parts.authorizer ?? (() => mastersAuthorizer),
    authenticator: parts.authenticator ?? nobodyKnown,
    signer: parts.signer ?? noSigner,
    admission(admission) {
      const { plugins, steps = [] } = parts;
      return admissionSteps(admission, { plugins, added: [...steps, definitionPreview(admission)] });
    },
    shown: (lookup) =>
      new Map([
        [
          "/ComponentStatus",
          () => componentStatuses({ lookup, dialect: api.dialect, clock: api.clock, running, storeFailed }),
        ],
      ]),
    cache: { onError: (error) => log.error("the watch cache failed", { error: String(error) }), ...parts.cache },
  };
}

/** The registry and what follows its objects. */
interface Founded {
  readonly built: BuiltRegistry;
  readonly flow: FlowObjects;
  readonly extension: Extension | undefined;
}

/** Puts the rooms above the registry on it. */
function assemble(parts: ClusterParts, { built, flow, extension }: Founded, own: Own): Cluster {
  const { store, dialect, log = silentLog } = parts;
  const { api, hooks, threads } = own;
  const { clock, random } = api;
  const checks = checkCache(api, built, log);
  const repairs = built.startRepairs((error) =>
    log.error("what Services take could not be put right", { error: String(error) }),
  );
  const explaining = whyRoute((identity) => client("keelson-why", identity));
  const roles = defaultRolesOf(parts, built, api, () => client("keelson", SERVER_ITSELF));
  const mismatches = (): number => checks.mismatches;
  // Made when somebody first asks: clusters that others only begin with are never asked.
  let made: ServerHandle | undefined;
  const server = (): ServerHandle =>
    (made ??= serverOf(parts, { own, built, log, explaining, mismatches, health: roles ? [roles.health] : [] }));
  const transport = inProcessTransport({ inject: (request) => server().inject(request) });
  const local: LocalServer = {
    onKindsChange: (listener) => built.kinds.onChange(listener),
    kinds: servedKindsOf(built.kinds),
  };
  const client = (userAgent: string, identity: Identity = ADMIN): Client =>
    new Client(transport(identity), { userAgent, clock, local });
  const close = async (graceMillis = GRACE_MS): Promise<void> => {
    // Controllers are clients: they are told first, and are answered while the server finishes what runs.
    roles?.close();
    const stopped = own.running.splice(0).map(({ manager }) => manager.stop({ grace: graceMillis }));
    await Promise.all([...stopped, made?.close(graceMillis)]);
    await extension?.close();
    await flow.close();
    if (!parts.hooks) hooks.close();
    own.fairness?.[Symbol.dispose]();
    await threads.close();
    checks.close();
    repairs.close();
    built.cacher.close();
  };
  return {
    store,
    dialect,
    kinds: built.kinds,
    unreadable: () => built.unreadable(),
    readAgain: () => built.cacher.readAgain(),
    get server() {
      return server();
    },
    makeRoles: () => roles?.make() ?? Promise.resolve(),
    client,
    async start(controllers, { isShared = false, freeze = true } = {}) {
      if (controllers.length === 0) return;
      const leaderElection = { lease: { namespace: leaseNamespace(dialect), name: CONTROLLERS_LEASE } };
      const manager = createManager({
        client: client("keelson-controllers"),
        name: "keelson-controllers",
        clock,
        seed: Math.floor(random.next() * 2 ** 32),
        dialect: dialect.name,
        countedEvents: true,
        keep: withoutManagedFields,
        freeze,
        log,
        ...(parts.server?.activity ? { activity: parts.server.activity } : {}),
        ...(isShared ? { leaderElection } : {}),
      });
      own.running.push({ controllers, manager: manager.add(...controllers) });
      await manager.start();
    },
    keep(still, then) {
      const registry = keepRegistry(built, still, then);
      const kept = { registry, definitions: extension?.keep(), told: flow.told };
      return { dialect, fork: (others) => forkOf({ ...parts, gates: api.gates, ...others }, kept) };
    },
    close,
    [Symbol.asyncDispose]: () => close(),
  };
}

/** What a cluster begins with that begins with a moment of another one. */
interface Kept {
  readonly registry: KeptRegistry;
  readonly definitions: KeptExtension | undefined;
  /** What fairness was told last. */
  readonly told: FlowConfiguration | undefined;
}

/** A cluster that begins with a moment; its kinds are those of the moment, not those that the first one was given. */
function forkOf(given: ClusterParts, { registry, definitions, told }: Kept): Cluster {
  const parts = { ...given, definitions: [], defaultRoles: false };
  const own = openOwn(parts, told);
  const built = forkRegistry(registry, registryOptions(parts, own));
  const flow = flowObjects(parts, built, own, told);
  void flow.follow();
  const extension = definitions?.fork(extensionParts(parts, built, own));
  return assemble(parts, { built, flow, extension }, own);
}

/** Who makes the roles of the start; undefined where there are none to make. */
function defaultRolesOf(
  { defaultRoles = false, log = silentLog, server: { filters = DEFAULT_FILTERS } = {} }: ClusterParts,
  built: BuiltRegistry,
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

const noSigner = (): never => {
  throw new Error("expected the cluster to be given a signer, tokens were asked for");
};

/** Accepts no credential. */
const nobodyKnown = ({ api: { clock, random, dialect } }: TrustGround): Authenticator =>
  authenticatorChain({ clock, random, tokens: [], anonymous: () => dialect.rules.anonymousByRoles });

interface Assembled {
  readonly own: Own;
  readonly built: BuiltRegistry;
  readonly log: Log;
  readonly explaining: Route;
  readonly mismatches: () => number;
  readonly health: readonly HealthCheck[];
}

function serverOf(parts: ClusterParts, { own, built, log, explaining, mismatches, health }: Assembled): ServerHandle {
  const { store, server = {} } = parts;
  const { clock, random, dialect } = own.api;
  const watched = { clock, stored: () => store.revision, cached: () => built.cacher.stats(), kinds: built.kinds };
  return createServer({
    registry: built.kinds,
    authenticator: built.authenticator,
    authorizer: built.authorizer,
    dialect,
    clock,
    random,
    log,
    beside: own.threads,
    fairness: own.fairness,
    version: "0.0.0",
    ...server,
    routes: [explaining, ...(server.routes ?? [])],
    health: [
      storeCheck(own.storeFailed),
      cacheCheck(watched),
      syncCheck(watched),
      ...(store.room ? [roomCheck(store)] : []),
      ...health,
      ...(server.health ?? []),
    ],
    collectors: [
      storeMetrics(store),
      cacheMetrics(built.cacher, mismatches),
      processMetrics(),
      ...(server.collectors ?? []),
    ],
  });
}

interface CacheChecks {
  /** Resources that were found to differ from the store. */
  readonly mismatches: number;
  close(): void;
}

/** Compares the cache with the store from time to time, as long as it is open. */
function checkCache({ clock, random }: ApiContext, { cacher }: BuiltRegistry, log: Log): CacheChecks {
  let mismatches = 0;
  const checks = startChecks(cacher, {
    clock,
    random,
    onMismatch(found) {
      mismatches += found.length;
      log.error("the watch cache differs from the store and is loaded anew", { mismatches: found });
    },
    onError: (error) => log.error("the watch cache could not be compared with the store", { error: String(error) }),
  });
  return {
    get mismatches() {
      return mismatches;
    },
    close: () => checks.close(),
  };
}
