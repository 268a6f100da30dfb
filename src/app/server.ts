/**
 * From options to a running server: a cluster, with a directory, certificates and a port.
 *
 *     data directory, certificates, store  -> cluster (registry, server)  -> port  -> controllers (clients, in process)
 *
 * @module
 */
import { rmSync } from "node:fs";
import { idleNames } from "../admission/names.ts";
import { adminToken } from "../auth/admin.ts";
import { opaqueTokens } from "../auth/opaque-tokens.ts";
import { type Authorization, openAuthorization } from "./authorization/open-authorization.ts";
import type { Client } from "../client/index.ts";
import type { Pod } from "../client/kinds/index.ts";
import type { Cluster, ClusterParts } from "../cluster/index.ts";
import { type ControllerSettings, builtInControllers, chooseControllers } from "../controllers/index.ts";
import { type Dialect, neutral } from "../meta/dialect.ts";
import { gatesOf } from "../meta/gates.ts";
import { type Pki, kubeconfig } from "../pki/index.ts";
import {
  DEFAULT_FILTERS,
  type Filter,
  type Listener,
  type ServerHandle,
  type TlsOptions,
  type Auditing,
  accessLog,
  audit,
  withFilter,
} from "../server/index.ts";
import type { Controller } from "../runtime/index.ts";
import { type Store, StoreError } from "../storage/contract.ts";
import type { OpenMemoryOptions } from "../storage/memory/store.ts";
import { type Clock, type Random, systemClock, systemRandom, turn } from "../util/clock.ts";
import { calmLog } from "../util/calm-log.ts";
import { Faults } from "../util/faults.ts";
import { type Log, silentLog } from "../util/log.ts";
import { AccessFile } from "./access-log.ts";
import { openAudit } from "./audit/open-audit.ts";
import { type Authentication, openAuthentication } from "./authentication.ts";
import { backupRoute } from "./backup-route.ts";
import { bodyMemory, memoryOfProcess } from "./body-memory.ts";
import { connectionLimits } from "./connection-limits.ts";
import { isAny, openCertificates } from "./certificates.ts";
import { DataDirectory, replaceFile } from "./data-directory.ts";
import type { Encryption } from "./encryption.ts";
import { openEtcd } from "./etcd.ts";
import { OptionError, type ServeOptions } from "./options.ts";
import { Renewal } from "./renewal.ts";
import type { RunningAgent } from "../node/agent.ts";
import { startUpkeep } from "./upkeep.ts";
import { LiveUsers } from "./user-file.ts";
import { VERSION } from "./version.ts";

/** What a server is made of beside its options; the machine's by default. */
export interface Surroundings {
  readonly clock?: Clock;
  readonly random?: Random;
  /** Nothing is logged by default. Each cause is told at once, then at most once a minute. */
  readonly log?: Log;
}

/** A server that runs; `await using` closes it. */
export interface RunningServer extends AsyncDisposable {
  /** The base address, `https://127.0.0.1:6443`. */
  readonly url: string;
  readonly dialect: Dialect;
  readonly pki: Pki;
  /** The text of a kubeconfig for the admin. */
  readonly kubeconfig: string;
  /** Where the kubeconfig was written; undefined when nothing is kept. */
  readonly kubeconfigFile: string | undefined;
  readonly store: Store;
  /** A client in the same process, as the admin. */
  client(userAgent: string): Client;
  /** Takes failures that the program did not expect: logs and counts them. */
  readonly faults: Faults;
  /** Resolves when the server cannot go on (the store failed); it must be closed then. */
  readonly failed: Promise<Error>;
  /** Stops accepting, ends watches, finishes what runs within the grace time, closes the store. */
  close(): Promise<void>;
}

/** Options with the dialect that was given, or found in the data directory. */
type ChosenOptions = ServeOptions & { readonly dialect: Dialect };

/** What everything of a server stands on. */
interface Ground {
  readonly options: ChosenOptions;
  /** Undefined when nothing is kept. */
  readonly directory: DataDirectory | undefined;
  readonly pki: Pki;
  readonly authentication: Authentication;
  readonly authorization: Authorization;
  /** The users that the server knows by itself; undefined when nothing is kept. */
  readonly users: LiveUsers | undefined;
  /** Where the server is reached; empty until its port is open. */
  readonly address: { url: string };
  /** Undefined for plain HTTP. */
  readonly renewal: Renewal | undefined;
  /** Where requests are written down; undefined for nowhere. */
  readonly access: AccessFile | undefined;
  /** Who did what, for a file or a webhook; undefined where nobody wants to know. */
  readonly auditing: Auditing | undefined;
  readonly around: Required<Surroundings>;
  readonly faults: Faults;
  /** The agent of the node in this process, once it runs. */
  readonly node: { agent?: RunningAgent };
  /** What was opened; the last is closed first. */
  readonly open: AsyncDisposableStack;
}

/** Starts a server; resolves when it accepts requests. When that fails, what was opened on the way is closed again. */
export async function runServer(options: ServeOptions, surroundings: Surroundings = {}): Promise<RunningServer> {
  const open = new AsyncDisposableStack();
  try {
    return await assemble(prepare(options, surroundings, open));
  } catch (error) {
    await open.disposeAsync();
    throw error;
  }
}

/** The data directory and the certificates; nothing is written to an existing directory yet. */
function prepare(
  given: ServeOptions,
  { clock = systemClock, random = systemRandom, log: told = silentLog }: Surroundings,
  open: AsyncDisposableStack,
): Ground {
  const log = open.use(calmLog(told, clock));
  const known = given.dev ? undefined : new DataDirectory(given.dataDir).dialect;
  const options: ChosenOptions = { ...given, dialect: given.dialect ?? known ?? neutral };
  // A name that the dialect has no controller for is noticed before anything is made.
  chosenControllers(options, { caCertificate: "", signingCa: noCa });
  tellIdlePlugins(options, log);
  const directory = given.dev ? undefined : DataDirectory.open(given.dataDir, given.dialect, given.readOnly);
  const around = { clock, random, log };
  const certificates = openCertificates(options, directory, clock);
  const address = { url: "" };
  const users = directory && new LiveUsers(directory, around);
  const authorization = openAuthorization(options.authorization, { ...around, open });
  const authentication = openAuthentication(options.authentication, {
    dialect: options.dialect,
    ...around,
    allowsAll: authorization.allowsAll,
    keys: () => certificates.pki.tokenKeys,
    tokens: (audiences) => [
      adminToken(certificates.pki.adminToken, audiences),
      ...(users ? [opaqueTokens({ name: "users", audiences, find: (digest) => users.find(digest) })] : []),
    ],
    ...(users ? { isRevoked: (certificate) => users.isRevoked(certificate) } : {}),
    url: () => address.url,
  });
  open.defer(() => authentication.close());
  const renewal = options.insecureHttp ? undefined : open.use(new Renewal({ ...certificates, around }));
  const access = options.accessLog === "" ? undefined : open.use(new AccessFile(options.accessLog, around));
  const auditing = openAudit(options.audit, around, open);
  return {
    options,
    directory,
    pki: certificates.pki,
    authentication,
    authorization,
    users,
    address,
    renewal,
    access,
    auditing,
    around,
    faults: new Faults(log),
    node: {},
    open,
  };
}

/** Tells of names that change nothing: whoever comes from another server gives its options, and should know. */
function tellIdlePlugins({ plugins }: ServeOptions, log: Log): void {
  const { unknown, always } = idleNames(plugins);
  if (unknown.length > 0) log.warn("admission plugins are named that this server does not have", { names: unknown });
  if (always.length > 0) log.info("admission plugins are named that always run", { names: always });
}

/** How long the start waits for the roles that are there from the start, in ms: a webhook that does not answer may hold them. */
const MOST_FOR_ROLES_MS = 2000;

async function assemble(ground: Ground): Promise<RunningServer> {
  const { options, directory, pki, open } = ground;
  const encryption = await openEncryption(ground);
  // Reading most of the program is one long turn: the store, which opens in a thread of its own, has to have begun before.
  if (options.store === "sqlite") await import("../storage/sqlite/store.ts");
  const opening = openStore(ground);
  const [{ createCluster }, stored] = await Promise.all([turn().then(() => import("../cluster/index.ts")), opening]);
  directory?.claim(options.dialect);
  const store = encryption?.over(stored) ?? stored;
  const saved = saveIdentity(ground);
  const cluster = await createCluster(partsOf({ store, stored, encryption }, ground)).catch(async (error: unknown) => {
    throw await refusalOf(error, options, directory);
  });
  open.defer(() => cluster.close(options.graceMillis));
  if (encryption || cluster.unreadable().length > 0) await tellUnreadable(cluster, encryption, ground);
  if (ground.users) open.use(ground.users.follow(() => void cluster.server.endRevoked()));
  const { url, listener } = await listen(cluster.server, ground);
  ground.address.url = url;
  // Who asks meanwhile is answered, by what is there; `/readyz` says when all is.
  const makingRoles = cluster.makeRoles();
  await saved();
  const config = (): string => kubeconfig(url, pki);
  const writeKubeconfigs = (): string | undefined => writeConfigs(config(), ground);
  const kubeconfigFile = writeKubeconfigs();
  renewCertificates(listener, writeKubeconfigs, ground);
  await startControllers(cluster, store, ground);
  await Promise.race([makingRoles, new Promise<void>((done) => ground.around.clock.after(MOST_FOR_ROLES_MS, done))]);
  await startNode(cluster, ground);
  announce(url, ground);
  const close = (): Promise<void> => open.disposeAsync();
  return {
    url,
    dialect: options.dialect,
    pki,
    get kubeconfig() {
      return config();
    },
    kubeconfigFile,
    store,
    client: (userAgent) => cluster.client(userAgent),
    faults: ground.faults,
    failed: store.failed,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Begins to write certificates and keys, which reach the disk while the cluster is put together; the answer waits for them. */
function saveIdentity({ options, directory, pki, open }: Ground): () => Promise<void> {
  if (!options.insecureHttp) void pki.ca;
  const saving = Promise.allSettled([directory?.save()]);
  open.defer(async () => void (await saving));
  return async () => {
    const [saved] = await saving;
    if (saved.status === "rejected") throw saved.reason;
  };
}

/** Reads which objects are encrypted and with which keys; nothing where that is not said. */
async function openEncryption({ options, around, open }: Ground): Promise<Encryption | undefined> {
  const { encryption, dialect } = options;
  if (!encryption) return undefined;
  const room = await import("./encryption.ts");
  return open.use(await room.Encryption.open({ ...encryption, dialect, ...around }));
}

/** Names what cannot be read, and what is missing for it (CRYPT-9); it is read when that is there. */
async function tellUnreadable(cluster: Cluster, encryption: Encryption | undefined, ground: Ground): Promise<void> {
  const { followUnreadable } = await import("./unreadable.ts");
  await followUnreadable(cluster, encryption, ground.around.log);
}

/** The store that the cluster has, the one that is under it, and what encrypts between them. */
interface Stores {
  readonly store: Store;
  readonly stored: Store;
  readonly encryption: Encryption | undefined;
}

/** What the cluster is a function of. */
function partsOf({ store, stored, encryption }: Stores, ground: Ground): ClusterParts {
  const { options, authentication, authorization, renewal, access, auditing, around } = ground;
  const { dialect } = options;
  return {
    store,
    dialect,
    gates: gatesOf(dialect, options.featureGates),
    plugins: options.plugins,
    serviceRanges: options.serviceRanges,
    allowsPrivileged: options.allowsPrivileged,
    kinds: options.kinds,
    fairness: options.fairness,
    ...around,
    authenticator: authentication.authenticator,
    authorizer: authorization.authorizer,
    defaultRoles: authorization.hasRoles && !options.readOnly,
    signer: authentication.signer,
    server: {
      version: VERSION,
      faults: ground.faults,
      limits: {
        ...connectionLimits(options),
        requestsPerUser: options.maxRequestsPerUser,
        watchesPerUser: options.maxWatchesPerUser,
        reads: options.maxReads,
        writes: options.maxWrites,
        requestMillis: options.requestMillis,
        watchMillis: options.watchMillis,
        slowMillis: options.slowMillis,
        bodyMemoryBytes: bodyMemory(memoryOfProcess()),
      },
      programs: (way, pod, ...asked) => (way === "log" ? logOf(ground, pod as unknown as Pod, ...asked) : undefined),
      // A backup holds what is stored.
      routes: [backupRoute(stored, dialect, around.clock), ...authentication.routes],
      filters: filtersOf(ground),
      health: [...(renewal?.health ?? []), ...(encryption?.health ?? [])],
      collectors: [
        ...[renewal?.metrics, access?.metrics, auditing?.metrics.collector, encryption?.metrics].flatMap(
          (one) => one ?? [],
        ),
        () => ground.node.agent?.collect() ?? [],
        ...authentication.metrics,
        ...authorization.metrics,
      ],
    },
  };
}

/** The log of a Pod of the node in this process; undefined for another one. */
function logOf(
  { node: { agent } }: Ground,
  pod: Pod,
  ...asked: readonly [parameter: (name: string) => string | undefined, signal: AbortSignal]
): Promise<AsyncIterable<Uint8Array>> | undefined {
  return agent !== undefined && pod.spec.nodeName === agent.name ? agent.log(pod, ...asked) : undefined;
}

/** The way of a request: with more steps where requests are written down, each by itself, or audited. */
function filtersOf({ options, access, auditing, around }: Ground): readonly Filter[] {
  const audited = auditing ? withFilter(audit(auditing), { after: "authenticate" }) : DEFAULT_FILTERS;
  if (access)
    return withFilter(
      accessLog((entry) => access.add(JSON.stringify(entry))),
      { after: "audit id" },
      audited,
    );
  if (options.logLevel !== "debug") return audited;
  return withFilter(
    accessLog((entry) => around.log.debug("a request is over", { ...entry })),
    { after: "audit id" },
    audited,
  );
}

/** Keeps certificates good for as long as the server runs, and kubeconfigs with them. */
function renewCertificates(listener: Listener, writeKubeconfigs: () => unknown, ground: Ground): void {
  const { directory, renewal } = ground;
  renewal?.start(async () => {
    listener.setTls(tlsOf(ground));
    await directory?.save();
    writeKubeconfigs();
  });
}

/** Writes the kubeconfig wherever it is wanted, and answers where it is; nothing of a server stays that keeps nothing. */
function writeConfigs(text: string, { options, directory, around, open }: Ground): string | undefined {
  const { kubeconfigOut, readOnly } = options;
  const own = directory?.writeKubeconfig(text);
  if (directory && own === undefined && !readOnly) {
    const file = directory.file("admin.kubeconfig");
    around.log.warn("no room for the kubeconfig on the disk: what is there does not lead here", { file });
  }
  if (kubeconfigOut === "") return own;
  if (options.dev) open.defer(() => rmSync(kubeconfigOut, { force: true }));
  replaceFile(kubeconfigOut, text, { mode: 0o600 });
  return kubeconfigOut;
}

/** Starts the controllers, and the upkeep of a store that does not forget by itself. */
async function startControllers(cluster: Cluster, store: Store, ground: Ground): Promise<void> {
  const { options, pki, authentication, around, open } = ground;
  if (options.readOnly) return;
  const isShared = options.store === "etcd";
  const chosen = chosenControllers(options, {
    caCertificate: options.insecureHttp ? "" : pki.trust,
    signingCa: () => pki.ca,
    secretTokens: (namespace, account, secret) => authentication.signer().signForSecret(namespace, account, secret),
  });
  const starting = cluster.start(chosen, { isShared, freeze: false });
  // A list that holds what cannot be read fails until that is gone: the server answers meanwhile.
  if (cluster.unreadable().length === 0) await starting;
  else starting.catch((error: unknown) => around.log.error("controllers could not start", { error: String(error) }));
  // An embedded store forgets by itself; one that is shared is told to, by one of those who share it.
  if (!isShared) return;
  const client = cluster.client("keelson-upkeep");
  const upkeep = startUpkeep({ store, millis: options.historyMillis, client, dialect: options.dialect, ...around });
  open.defer(() => upkeep.stop());
}

/** Starts the agent of the node in this process, a client as on any other machine: it may do what agents may. */
async function startNode(cluster: Cluster, { options, around, node: place, open }: Ground): Promise<void> {
  const { node, dialect, readOnly } = options;
  if (!node || readOnly) return;
  const { openAgent } = await import("./node.ts");
  const identity = { user: `system:node:${node.name}`, groups: ["system:nodes", "system:authenticated"] };
  const client = cluster.client("keelson-node", identity);
  const agent = await openAgent({ ...node, ...around, client, dialect, freeze: false });
  open.defer(() => agent.stop());
  void agent.failed.then((error) =>
    around.log.error("the node is refused what it has to read", { error: String(error) }),
  );
  place.agent = agent;
}

/** Leaves a note in the data directory of who runs on it. */
function announce(url: string, { options, directory, around }: Ground): void {
  const started = new Date(around.clock.now()).toISOString();
  directory?.writeRunning({
    pid: process.pid,
    version: VERSION,
    addresses: [url],
    dialect: options.dialect.name,
    started,
  });
}

/** Opens the store and takes the lock on the data directory; both are given back with `open`. */
async function openStore(ground: Ground): Promise<Store> {
  const { directory, open } = ground;
  if (!directory) return open.adopt(await openMemory(), (store) => store.close());
  try {
    const store = await openIn(directory, ground);
    // Who has the lock is the one that server.json speaks of, whatever a process before it has left there.
    open.defer(() => directory.clearRunning());
    return open.adopt(store, () => store.close());
  } catch (error) {
    throw withOwner(error, directory);
  }
}

async function openIn(directory: DataDirectory, { options, around, open }: Ground): Promise<Store> {
  const { store, historyMillis, etcd, dialect } = options;
  if (options.readOnly) {
    const { openReadOnlyStore } = await import("../storage/sqlite/read-only.ts");
    return openReadOnlyStore(directory.store, openMemory);
  }
  if (store === "sqlite") {
    const { openSqliteStore } = await import("../storage/sqlite/store.ts");
    const { clock, log } = around;
    return openSqliteStore({ directory: directory.store, clock, log, historyMillis, givesMemoryBack: true });
  }
  // Objects are kept elsewhere or not at all, but certificates and the kubeconfig are, and they are those of one process.
  const { lockDirectory } = await import("../storage/sqlite/lock.ts");
  open.adopt(lockDirectory(directory.makeStore()), (lock) => lock.release());
  return etcd ? openEtcd(etcd, dialect, around) : openMemory();
}

async function openMemory(options: OpenMemoryOptions = {}): Promise<Store> {
  const { openMemoryStore } = await import("../storage/memory/store.ts");
  return openMemoryStore(options);
}

/** The refusal of a directory that is in use, with where its server can be reached. */
function withOwner(error: unknown, directory: DataDirectory): unknown {
  const owner = directory.running();
  if (!(error instanceof StoreError) || error.owner === undefined || error.owner !== owner?.pid) return error;
  const where = `keelson ${owner.version} at ${owner.addresses.join(", ")}`;
  return new StoreError(error.code, `${error.message} (${where})`, { cause: error });
}

/** Who cannot load a record because it is damaged is told what to do; every other failure stays what it is. */
async function refusalOf(error: unknown, { store }: ServeOptions, directory?: DataDirectory): Promise<unknown> {
  const cause = error instanceof Error && error.cause instanceof StoreError ? error.cause : error;
  if (!(cause instanceof StoreError)) return error;
  if (cause.code !== "corrupt" || store !== "sqlite" || !directory) return cause;
  const { damagedStore } = await import("../storage/sqlite/advice.ts");
  return damagedStore(directory.store, cause.message, cause);
}

/** A port, and how the server is reached there. */
interface Address {
  readonly url: string;
  readonly listener: Listener;
}

/** Opens the port. */
async function listen(server: ServerHandle, ground: Ground): Promise<Address> {
  const { bind, port, insecureHttp } = ground.options;
  const tls = insecureHttp ? {} : { tls: tlsOf(ground) };
  try {
    const listener = await server.listen({ host: bind, port, ...tls });
    return { url: `${insecureHttp ? "http" : "https"}://${reachable(bind)}:${listener.port}`, listener };
  } catch (error) {
    const why = LISTEN_ERRORS[(error as NodeJS.ErrnoException).code ?? ""];
    throw why ? new OptionError(why(bind, port)) : error;
  }
}

const tlsOf = ({ pki: { server, ca }, authentication: { clientCa, proxyCa } }: Ground): TlsOptions => ({
  key: server.key,
  cert: server.cert,
  clientCa: ca.cert + clientCa,
  ...(proxyCa === "" ? {} : { proxyCa }),
});

const LISTEN_ERRORS: Readonly<Record<string, (bind: string, port: number) => string>> = {
  EADDRINUSE: (bind, port) => `expected port ${port} of ${bind} to be free, another process listens there`,
  EACCES: (bind, port) => `expected to be allowed to listen on port ${port} of ${bind}`,
  EADDRNOTAVAIL: (bind) => `expected --bind to be an address of this machine, got ${bind}`,
  ENOTFOUND: (bind) => `expected --bind to be an address or a known name, got ${bind}`,
};

/** What controllers sign with; nothing is signed where only their names are looked at. */
type GivenToControllers = Pick<ControllerSettings, "caCertificate" | "signingCa" | "secretTokens">;

const noCa = (): never => {
  throw new Error("expected no controller to sign before the server has a CA");
};

/** The controllers that the options choose; {@link OptionError} for a name that none has. */
function chosenControllers(options: ChosenOptions, given: GivenToControllers): readonly Controller[] {
  const { dialect, eventTtlMillis, forceDetach, endedPods, controllers } = options;
  const all = builtInControllers({ dialect, eventTtlMillis, forceDetach, endedPods, ...given });
  try {
    return chooseControllers(all, controllers);
  } catch (error) {
    throw new OptionError((error as Error).message);
  }
}

/** How this machine reaches an address to listen on. */
function reachable(bind: string): string {
  if (isAny(bind)) return "127.0.0.1";
  return bind.includes(":") ? `[${bind}]` : bind;
}
