/**
 * From options to a running server: a cluster, with a directory, certificates and a port.
 *
 *     data directory, certificates, store  -> cluster (registry, server)  -> port  -> controllers (clients, in process)
 *
 * @module
 */
import { hostname } from "node:os";
import { adminAuthenticator } from "../auth/admin.ts";
import { type SignerContext, type TokenSigner, tokenSigner } from "../auth/service-account-tokens.ts";
import type { Client } from "../client/index.ts";
import { builtInControllers, chooseControllers } from "../controllers/index.ts";
import { type Dialect, neutral } from "../meta/dialect.ts";
import { gatesOf } from "../meta/gates.ts";
import { type Pki, createPki, kubeconfig, openPki } from "../pki/index.ts";
import type { Listener, ServerHandle, TlsOptions } from "../server/index.ts";
import type { Controller } from "../runtime/index.ts";
import { type Store, StoreError } from "../storage/contract.ts";
import { type Clock, type Random, systemClock, systemRandom, turn } from "../util/clock.ts";
import { type Log, silentLog } from "../util/log.ts";
import { backupRoute } from "./backup-route.ts";
import { connectionLimits } from "./connection-limits.ts";
import { DataDirectory } from "./data-directory.ts";
import { openEtcd } from "./etcd.ts";
import { OptionError, type ServeOptions } from "./options.ts";
import { keepRenewed } from "./renewal.ts";
import { startUpkeep } from "./upkeep.ts";
import { VERSION } from "./version.ts";

/** What a server is made of beside its options; the machine's by default. */
export interface Surroundings {
  readonly clock?: Clock;
  readonly random?: Random;
  /** Nothing is logged by default. */
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
  /** Resolves when the server cannot go on (the store failed); it must be closed then. */
  readonly failed: Promise<Error>;
  /** Stops accepting, ends watches, finishes what runs within the grace time, closes the store. */
  close(): Promise<void>;
}

/** Options with the dialect that was given, or found in the data directory. */
type ChosenOptions = ServeOptions & { readonly dialect: Dialect };

/** Starts a server; resolves when it accepts requests. When that fails, what was opened on the way is closed again. */
export async function startServer(options: ServeOptions, surroundings: Surroundings = {}): Promise<RunningServer> {
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
  given: ServeOptions,
  { clock = systemClock, random = systemRandom, log = silentLog }: Surroundings,
  open: AsyncDisposableStack,
): Promise<RunningServer> {
  checkControllerNames(given);
  const directory = given.dev ? undefined : DataDirectory.open(given.dataDir, given.dialect);
  const dialect = given.dialect ?? directory?.dialect ?? neutral;
  const options: ChosenOptions = { ...given, dialect };
  const hosts = [...new Set(["localhost", "127.0.0.1", "::1", hostname(), ...named(options.bind), ...options.tlsSans])];
  const pki = directory ? openPki(directory.pki, { hosts, clock }) : createPki({ hosts, clock });
  // Reading most of the program is one long turn: the store, which opens in a thread of its own, has to have begun before.
  if (options.store === "sqlite") await import("../storage/sqlite/store.ts");
  const opening = openStore(options, directory, { clock, random, log }, open);
  const [{ createCluster }, store] = await Promise.all([turn().then(() => import("../cluster/index.ts")), opening]);
  directory?.claim(dialect);
  // Certificates reach the disk while the cluster is put together.
  if (!options.insecureHttp) void pki.ca;
  const saving = Promise.allSettled([directory?.save()]);
  open.defer(async () => void (await saving));
  const cluster = await createCluster({
    store,
    dialect,
    gates: gatesOf(dialect, options.featureGates),
    clock,
    random,
    log,
    authenticator: adminAuthenticator(pki.adminToken, () => clock.now()),
    signer: signerOf(pki, { dialect, clock, random }),
    server: {
      version: VERSION,
      limits: { ...connectionLimits(options), requestMillis: options.requestMillis },
      routes: [backupRoute(store, dialect, clock)],
    },
  }).catch(async (error: unknown) => {
    throw await refusalOf(error, options, directory);
  });
  open.defer(() => cluster.close(options.graceMillis));
  const { url, listener } = await listen(cluster.server, options, pki);
  const config = (): string => kubeconfig(url, pki);
  const [saved] = await saving;
  if (saved.status === "rejected") throw saved.reason;
  const kubeconfigFile = directory?.writeKubeconfig(config());
  const renewed = async (): Promise<void> => {
    listener.setTls(tlsOf(pki));
    await directory?.save();
    directory?.writeKubeconfig(config());
  };
  if (!options.insecureHttp) open.use(keepRenewed(pki, renewed, { clock, log }));
  const isShared = options.store === "etcd";
  await cluster.start(chosenControllers(options, options.insecureHttp ? "" : pki.ca.cert), { isShared });
  // An embedded store forgets by itself; one that is shared is told to, by one of those who share it.
  if (isShared) {
    const client = cluster.client("keelson-upkeep");
    const upkeep = startUpkeep({ store, millis: options.historyMillis, client, dialect, clock, random, log });
    open.defer(() => upkeep.stop());
  }
  if (directory) {
    const started = new Date(clock.now()).toISOString();
    directory.writeRunning({ pid: process.pid, version: VERSION, addresses: [url], dialect: dialect.name, started });
  }
  const close = (): Promise<void> => open.disposeAsync();
  return {
    url,
    dialect,
    pki,
    get kubeconfig() {
      return config();
    },
    kubeconfigFile,
    store,
    client: (userAgent) => cluster.client(userAgent),
    failed: store.failed,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Makes the signer when the first token is asked for. */
function signerOf(pki: Pki, api: SignerContext): () => TokenSigner {
  let signer: TokenSigner | undefined;
  return () => (signer ??= tokenSigner(pki.tokenKey, `https://${api.dialect.labelDomain}`, api));
}

/** Opens the store and takes the lock on the data directory; both are given back with `open`. */
async function openStore(
  options: ChosenOptions,
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
  { store, historyMillis, etcd, dialect }: ChosenOptions,
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
async function listen(server: ServerHandle, { bind, port, insecureHttp }: ServeOptions, pki: Pki): Promise<Address> {
  const tls = insecureHttp ? {} : { tls: tlsOf(pki) };
  try {
    const listener = await server.listen({ host: bind, port, ...tls });
    return { url: `${insecureHttp ? "http" : "https"}://${reachable(bind)}:${listener.port}`, listener };
  } catch (error) {
    const why = LISTEN_ERRORS[(error as NodeJS.ErrnoException).code ?? ""];
    throw why ? new OptionError(why(bind, port)) : error;
  }
}

const tlsOf = ({ server, ca }: Pki): TlsOptions => ({ key: server.key, cert: server.cert, clientCa: ca.cert });

const LISTEN_ERRORS: Readonly<Record<string, (bind: string, port: number) => string>> = {
  EADDRINUSE: (bind, port) => `expected port ${port} of ${bind} to be free, another process listens there`,
  EACCES: (bind, port) => `expected to be allowed to listen on port ${port} of ${bind}`,
  EADDRNOTAVAIL: (bind) => `expected --bind to be an address of this machine, got ${bind}`,
  ENOTFOUND: (bind) => `expected --bind to be an address or a known name, got ${bind}`,
};

/** Throws {@link OptionError} for a name that no controller has. */
const checkControllerNames = (options: ServeOptions): void =>
  void chosenControllers({ ...options, dialect: options.dialect ?? neutral }, "");

/** The controllers that the options choose; {@link OptionError} for a name that none has. */
function chosenControllers(options: ChosenOptions, caCertificate: string): readonly Controller[] {
  const { dialect, eventTtlMillis, controllers } = options;
  try {
    return chooseControllers(builtInControllers({ dialect, eventTtlMillis, caCertificate }), controllers);
  } catch (error) {
    throw new OptionError((error as Error).message);
  }
}

const ANY = new Set(["0.0.0.0", "::"]);

/** The address to listen on, where it is one that clients could name. */
const named = (bind: string): string[] => (ANY.has(bind) ? [] : [bind]);

/** How this machine reaches an address to listen on. */
function reachable(bind: string): string {
  if (ANY.has(bind)) return "127.0.0.1";
  return bind.includes(":") ? `[${bind}]` : bind;
}
