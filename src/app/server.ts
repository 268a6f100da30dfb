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
import type { ApiContext } from "../api/definition.ts";
import { builtInDefinitions } from "../api/index.ts";
import { Client } from "../client/index.ts";
import { type RunningController, builtInControllers, chooseControllers } from "../controllers/index.ts";
import { gatesOf } from "../meta/gates.ts";
import { type BuiltRegistry, buildRegistry } from "../registry/index.ts";
import { type ServerHandle, createServer } from "../server/index.ts";
import type { Store } from "../storage/contract.ts";
import { type Clock, type Random, systemClock, systemRandom } from "../util/clock.ts";
import type { Log } from "../util/log.ts";
import { DataDirectory } from "./data-directory.ts";
import { inProcessTransport } from "./in-process.ts";
import { kubeconfig } from "./kubeconfig.ts";
import type { ServeOptions } from "./options.ts";
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

/** Starts a server; resolves when it accepts requests. */
export async function startServer(options: ServeOptions, surroundings: Surroundings): Promise<RunningServer> {
  const { clock = systemClock, random = systemRandom, log } = surroundings;
  const { dialect } = options;
  const api: ApiContext = { dialect, clock, random, gates: gatesOf(dialect, options.featureGates) };
  const directory = options.dev ? undefined : DataDirectory.open(options.dataDir, dialect);
  const hosts = [...new Set(["localhost", "127.0.0.1", "::1", hostname(), ...named(options.bind), ...options.tlsSans])];
  const [store, pki] = await Promise.all([
    openStore(options, directory, clock),
    openPki(directory?.pki ?? inMemory(), hosts, clock),
  ]);
  let signer: TokenSigner | undefined;
  const built = await buildRegistry({
    api,
    store,
    definitions: builtInDefinitions(api),
    authorizer: mastersAuthorizer,
    signer: () => (signer ??= tokenSigner(pki.tokenKey, `https://${dialect.labelDomain}`, api)),
    cache: { onError: (error) => log.error("the watch cache failed", { error: String(error) }) },
  });
  await built.provisionNamespaces(dialect.rules.systemNamespaces);
  const server = makeServer({ options, api, built, store, pki, log });
  const scheme = options.insecureHttp ? "http" : "https";
  const { port } = await server.listen({
    host: options.bind,
    port: options.port,
    ...(options.insecureHttp ? {} : { tls: { key: pki.server.key, cert: pki.server.cert, clientCa: pki.ca.cert } }),
  });
  const url = `${scheme}://${reachable(options.bind)}:${port}`;
  const text = kubeconfig(url, pki);
  const file = directory?.writeKubeconfig(text);
  directory?.writeRunning({
    pid: process.pid,
    version: VERSION,
    addresses: [url],
    dialect: dialect.name,
    started: new Date(clock.now()).toISOString(),
  });
  const transport = inProcessTransport(server);
  const client = (userAgent: string): Client => new Client(transport, { userAgent, token: pki.adminToken });
  const controllers = await startControllers(options, api, pki, client, log);
  return {
    url,
    pki,
    kubeconfig: text,
    kubeconfigFile: file,
    store,
    client,
    failed: store.failed,
    async close() {
      await Promise.all(controllers.map((controller) => controller.stop()));
      await server.close(options.graceMillis);
      built.cacher.close();
      await store.close();
      directory?.clearRunning();
    },
  };
}

async function openStore(options: ServeOptions, directory: DataDirectory | undefined, clock: Clock): Promise<Store> {
  if (options.store === "memory" || !directory) {
    const { openMemoryStore } = await import("../storage/memory/store.ts");
    return openMemoryStore();
  }
  const { openSqliteStore } = await import("../storage/sqlite/store.ts");
  return openSqliteStore({ directory: directory.store, clock, historyMillis: options.historyMillis });
}

interface Parts {
  readonly options: ServeOptions;
  readonly api: ApiContext;
  readonly built: BuiltRegistry;
  readonly store: Store;
  readonly pki: Pki;
  readonly log: Log;
}

function makeServer({ api, built, store, pki, log }: Parts): ServerHandle {
  let failed = false;
  void store.failed.then(() => {
    failed = true;
  });
  return createServer({
    registry: built.registry,
    authenticator: adminAuthenticator(pki.adminToken, () => api.clock.now()),
    authorizer: mastersAuthorizer,
    dialect: api.dialect,
    clock: api.clock,
    random: api.random,
    log: { error: (message, fields) => log.error(message, fields) },
    version: VERSION,
    health: [
      { name: "store", check: () => (failed ? "the store has failed" : undefined) },
      { name: "watch-cache", check: () => undefined },
    ],
  });
}

async function startControllers(
  options: ServeOptions,
  api: ApiContext,
  pki: Pki,
  client: (userAgent: string) => Client,
  log: Log,
): Promise<readonly RunningController[]> {
  const all = builtInControllers({
    dialect: api.dialect,
    eventTtlMillis: options.eventTtlMillis,
    caCertificate: options.insecureHttp ? "" : pki.ca.cert,
  });
  const chosen = chooseControllers(all, options.controllers);
  const { dialect, clock, random } = api;
  return Promise.all(
    chosen.map((controller) =>
      controller.start({ client: client(`keelson-${controller.name}`), dialect, clock, random, log }),
    ),
  );
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
