/**
 * From options to a running server: the one place that knows every room.
 *
 *     data directory, certificates, store   (side by side)
 *       -> registry (cache over the store)  -> server (listeners, filters)  -> controllers (clients, in process)
 *
 * @module
 */
import { hostname } from "node:os";
import { adminAuthenticator, mastersAuthorizer } from "../auth/admin.ts";
import { type TokenSigner, tokenSigner } from "../auth/service-account-tokens.ts";
import type { ApiContext } from "../schema/definition.ts";
import { builtInDefinitions } from "../kinds/index.ts";
import { startChecks } from "../cache/index.ts";
import { Client } from "../client/index.ts";
import {
  type Controller,
  type RunningController,
  builtInControllers,
  chooseControllers,
} from "../controllers/index.ts";
import { gatesOf } from "../meta/gates.ts";
import { type BuiltRegistry, buildRegistry } from "../registry/index.ts";
import { type ServerHandle, createServer } from "../server/index.ts";
import { type Store, StoreError } from "../storage/contract.ts";
import { type Clock, type Random, systemClock, systemRandom } from "../util/clock.ts";
import type { Log } from "../util/log.ts";
import { BACKUP_PATH, backupEndpoint } from "./backup-endpoint.ts";
import { DataDirectory } from "./data-directory.ts";
import { cacheCheck } from "./health.ts";
import { inProcessTransport } from "./in-process.ts";
import { openEtcd } from "./etcd.ts";
import { kubeconfig } from "./kubeconfig.ts";
import { cacheMetrics, processMetrics, storeMetrics } from "./metrics.ts";
import { OptionError, type ServeOptions } from "./options.ts";
import { type Pki, type PkiFiles, openPki } from "./pki.ts";
import { VERSION } from "./version.ts";

/** What a server is made of beside its options; the machine's unless told. */
export interface Surroundings {
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log: Log;
}

/** A server that runs. */
export interface RunningServer {
  /** The base address, `https://127.0.0.1:6443`. */
  readonly url: string;
  readonly pki: Pki;
  /** The text of a kubeconfig for the admin. */
  readonly kubeconfig: string;
  /** Where the kubeconfig was written; undefined when nothing is kept. */
  readonly kubeconfigFile: string | undefined;
  readonly store: Store;
  /** A client in the same process, as the admin. */
  client(userAgent: string): Client;
  /** Resolves when the server cannot go on (the store failed); it must be closed then. */
  readonly failed: Promise<Error>;
  /** Stops accepting, ends watches, finishes what runs within the grace time, closes the store. */
  close(): Promise<void>;
}

/** Starts a server; resolves when it accepts requests. When that fails, what was opened on the way is closed again. */
export async function startServer(options: ServeOptions, surroundings: Surroundings): Promise<RunningServer> {
  // What is opened last is closed first.
  const open = new AsyncDisposableStack();
  try {
    return await assemble(options, surroundings, open);
  } catch (error) {
    await open.disposeAsync();
    throw error;
  }
}

async function assemble(
  options: ServeOptions,
  { clock = systemClock, random = systemRandom, log }: Surroundings,
  open: AsyncDisposableStack,
): Promise<RunningServer> {
  const { dialect } = options;
  const api: ApiContext = { dialect, clock, random, gates: gatesOf(dialect, options.featureGates) };
  chosenControllers(options, "");
  const directory = options.dev ? undefined : DataDirectory.open(options.dataDir, dialect);
  const hosts = [...new Set(["localhost", "127.0.0.1", "::1", hostname(), ...named(options.bind), ...options.tlsSans])];
  // Certificates are made in a process of their own, while this one opens the store and fills the cache.
  const certificates = openPki(directory?.pki ?? inMemory(), hosts, clock);
  open.defer(async () => void (await Promise.allSettled([certificates])));
  const store = await openStore(options, directory, { clock, random, log }, open);
  directory?.claim(dialect);
  let signer: TokenSigner | undefined;
  const built = await buildRegistry({
    api,
    store,
    definitions: builtInDefinitions(api),
    authorizer: mastersAuthorizer,
    signer: () => (signer ??= tokenSigner(pki.tokenKey, `https://${dialect.labelDomain}`, api)),
    cache: { onError: (error) => log.error("the watch cache failed", { error: String(error) }) },
  }).catch(async (error: unknown) => {
    throw await refusalOf(error, options, directory);
  });
  open.defer(() => built.cacher.close());
  await built.provisionNamespaces(dialect.rules.systemNamespaces);
  const pki = await certificates;
  const server = makeServer({ api, built, store, pki, log, checks: startCacheChecks(api, built, log, open) });
  const controllers: RunningController[] = [];
  open.defer(async () => {
    const stopped = controllers.map((controller) => controller.stop());
    await Promise.all([server.close(options.graceMillis), ...stopped]);
  });
  const url = await listen(server, options, pki);
  const transport = inProcessTransport(server);
  const client = (userAgent: string): Client => new Client(transport, { userAgent, token: pki.adminToken });
  const chosen = chosenControllers(options, options.insecureHttp ? "" : pki.ca.cert, store);
  const start = async (controller: Controller): Promise<void> => {
    const context = { client: client(`keelson-${controller.name}`), dialect, clock, random, log };
    controllers.push(await controller.start(context));
  };
  await Promise.all(chosen.map(start));
  const text = kubeconfig(url, pki);
  const kubeconfigFile = directory?.writeKubeconfig(text);
  if (directory) {
    const started = new Date(clock.now()).toISOString();
    directory.writeRunning({ pid: process.pid, version: VERSION, addresses: [url], dialect: dialect.name, started });
  }
  return {
    url,
    pki,
    kubeconfig: text,
    kubeconfigFile,
    store,
    client,
    failed: store.failed,
    close: () => open.disposeAsync(),
  };
}

/** Opens the store and takes the lock on the data directory; both are given back with `open`. */
async function openStore(
  options: ServeOptions,
  directory: DataDirectory | undefined,
  around: Required<Surroundings>,
  open: AsyncDisposableStack,
): Promise<Store> {
  if (!directory) return open.adopt(await openMemory(), (store) => store.close());
  try {
    const store = await openIn(directory, options, around, open);
    // Who has the lock is the one that server.json speaks of, whatever a process before it has left there.
    open.defer(() => directory.clearRunning());
    return open.adopt(store, () => store.close());
  } catch (error) {
    throw withOwner(error, directory);
  }
}

async function openIn(
  directory: DataDirectory,
  { store, historyMillis, etcd, dialect }: ServeOptions,
  around: Required<Surroundings>,
  open: AsyncDisposableStack,
): Promise<Store> {
  if (store === "sqlite") {
    const { openSqliteStore } = await import("../storage/sqlite/store.ts");
    return openSqliteStore({ directory: directory.store, clock: around.clock, historyMillis });
  }
  // Objects are kept elsewhere or not at all, but certificates and the kubeconfig are, and they are those of one process.
  const { lockDirectory } = await import("../storage/sqlite/lock.ts");
  open.adopt(lockDirectory(directory.makeStore()), (lock) => lock.release());
  return etcd ? openEtcd(etcd, dialect, around) : openMemory();
}

async function openMemory(): Promise<Store> {
  const { openMemoryStore } = await import("../storage/memory/store.ts");
  return openMemoryStore();
}

/** The refusal of a directory that is in use, with where its server can be reached. */
function withOwner(error: unknown, directory: DataDirectory): unknown {
  const owner = directory.running();
  if (!(error instanceof StoreError) || !owner || !error.message.endsWith(`process ${owner.pid}`)) return error;
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

interface Parts {
  readonly api: ApiContext;
  readonly built: BuiltRegistry;
  readonly store: Store;
  readonly pki: Pki;
  readonly log: Log;
  readonly checks: CacheChecks;
}

function makeServer({ api, built, store, pki, log, checks }: Parts): ServerHandle {
  const { clock } = api;
  let failed = false;
  void store.failed.then(() => {
    failed = true;
  });
  const cached = (): { revision: number; resources: number } => {
    const { revision, resources } = built.cacher.stats();
    return { revision, resources: resources.length };
  };
  return createServer({
    registry: built.registry,
    authenticator: adminAuthenticator(pki.adminToken, () => clock.now()),
    authorizer: mastersAuthorizer,
    dialect: api.dialect,
    clock,
    random: api.random,
    log: { error: (message, fields) => log.error(message, fields) },
    version: VERSION,
    health: [
      { name: "store", check: () => (failed ? "the store has failed" : undefined) },
      cacheCheck({ clock, stored: () => store.revision, cached }),
    ],
    endpoints: new Map([[BACKUP_PATH, backupEndpoint(store, api.dialect, clock)]]),
    collectors: [storeMetrics(store), cacheMetrics(built.cacher, () => checks.mismatches), processMetrics()],
  });
}

interface CacheChecks {
  /** Resources that were found to differ from the store. */
  readonly mismatches: number;
}

/** Compares the cache with the store from time to time, as long as it is open. */
function startCacheChecks(
  { clock, random }: ApiContext,
  { cacher }: BuiltRegistry,
  log: Log,
  open: AsyncDisposableStack,
): CacheChecks {
  const found = { mismatches: 0 };
  const checks = startChecks(cacher, {
    clock,
    random,
    onMismatch(mismatches) {
      found.mismatches += mismatches.length;
      log.error("the watch cache differs from the store and is loaded anew", { mismatches });
    },
    onError: (error) => log.error("the watch cache could not be compared with the store", { error: String(error) }),
  });
  open.adopt(checks, () => checks.close());
  return found;
}

/** Opens the port, and answers how the server is reached there. */
async function listen(server: ServerHandle, { bind, port, insecureHttp }: ServeOptions, pki: Pki): Promise<string> {
  const tls = { key: pki.server.key, cert: pki.server.cert, clientCa: pki.ca.cert };
  try {
    const listener = await server.listen({ host: bind, port, ...(insecureHttp ? {} : { tls }) });
    return `${insecureHttp ? "http" : "https"}://${reachable(bind)}:${listener.port}`;
  } catch (error) {
    const why = LISTEN_ERRORS[(error as NodeJS.ErrnoException).code ?? ""];
    throw why ? new OptionError(why(bind, port)) : error;
  }
}

const LISTEN_ERRORS: Readonly<Record<string, (bind: string, port: number) => string>> = {
  EADDRINUSE: (bind, port) => `expected port ${port} of ${bind} to be free, another process listens there`,
  EACCES: (bind, port) => `expected to be allowed to listen on port ${port} of ${bind}`,
  EADDRNOTAVAIL: (bind) => `expected --bind to be an address of this machine, got ${bind}`,
  ENOTFOUND: (bind) => `expected --bind to be an address or a known name, got ${bind}`,
};

/** The controllers that the options choose; {@link OptionError} for a name that none has. */
function chosenControllers(options: ServeOptions, caCertificate: string, store?: Store): readonly Controller[] {
  const { dialect, eventTtlMillis, historyMillis, controllers } = options;
  // An embedded store forgets by itself; one that is shared is told to, by one of those who share it.
  const sharedHistory = options.store === "etcd" ? { millis: historyMillis, of: () => store! } : undefined;
  try {
    return chooseControllers(
      builtInControllers({ dialect, eventTtlMillis, caCertificate, sharedHistory }),
      controllers,
    );
  } catch (error) {
    throw new OptionError((error as Error).message);
  }
}

/** Certificates that are forgotten with the process. */
function inMemory(): PkiFiles {
  const files = new Map<string, string>();
  return { read: (name) => files.get(name), write: (name, text) => void files.set(name, text) };
}

const ANY = new Set(["0.0.0.0", "::"]);

/** The address to listen on, where it is one that clients could name. */
const named = (bind: string): string[] => (ANY.has(bind) ? [] : [bind]);

/** How this machine reaches an address to listen on. */
function reachable(bind: string): string {
  if (ANY.has(bind)) return "127.0.0.1";
  return bind.includes(":") ? `[${bind}]` : bind;
}
