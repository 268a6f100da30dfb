/**
 * Starts a server from its options: a cluster with a data directory, certificates and a port.
 *
 *     data directory, certificates, store  -> cluster (registry, server)  -> port  -> controllers (clients, in process)
 *
 * @module
 */
import { rmSync } from "node:fs";
import type { Client } from "../../client/index.ts";
import type { Cluster } from "../../cluster/index.ts";
import type { Dialect } from "../../meta/dialect.ts";
import { type Pki, kubeconfig } from "../../pki/index.ts";
import type { Listener } from "../../server/index.ts";
import type { Store } from "../../storage/contract.ts";
import { sleep } from "../../util/clock.ts";
import type { Faults } from "../../util/faults.ts";
import { silentLog } from "../../util/log.ts";
import { openParts } from "../../util/open-parts.ts";
import { saveClusterClock } from "./cluster-clock.ts";
import { closeFailed } from "./close-failed.ts";
import { clusterParts } from "./cluster-parts.ts";
import { compactSharedStore, startControllers } from "./controllers.ts";
import { shareSignOut } from "../console/shared-sign-outs.ts";
import { DataDirectory, writeNamedFile } from "../storage/data-directory.ts";
import { isSpecialFile } from "../storage/special-file.ts";
import { checkPort, listen, tlsOf } from "./listen.ts";
import { openServerParts } from "./open-server-parts.ts";
import { openSimulation } from "./simulation.ts";
import { type Stores, openStores, refusalOf } from "./open-store.ts";
import type { ServeOptions } from "../options/options.ts";
import type { SystemParts } from "../process/system-parts.ts";
import type { ServerParts } from "./server-parts.ts";
import { VERSION } from "../process/version.ts";

/** A running server; `await using` closes it. */
export interface RunningServer extends AsyncDisposable {
  /** The base address, `https://127.0.0.1:6443`. */
  readonly url: string;
  readonly dialect: Dialect;
  readonly pki: Pki;
  /** The text of a kubeconfig for the admin. */
  readonly kubeconfig: string;
  /** The file of the kubeconfig; undefined if it was not written. */
  readonly kubeconfigFile: string | undefined;
  readonly store: Store;
  /** Returns a client in the same process, as the admin. */
  client(userAgent: string): Client;
  /** Logs and counts unexpected errors. */
  readonly faults: Faults;
  /** Resolves when the store has failed; the server must be closed then. */
  readonly failed: Promise<Error>;
  /** Stops accepting requests, ends watches, waits for running requests for the grace time, closes the store. */
  close(): Promise<void>;
}

/** Starts a server; resolves when it accepts requests. After a failure everything is closed again. */
export const runServer = (options: ServeOptions, system: Partial<SystemParts> = {}): Promise<RunningServer> =>
  openParts(
    async (opened) => {
      // A directory that exists may belong to a running server with the same port, which a later error names.
      if (DataDirectory.isCreatedBy(options)) await checkPort(options);
      const tracing = options.tracingConfigFile === "" ? undefined : await import("../tracing/open-tracing.ts");
      const parts = openServerParts(options, system, opened, tracing?.openTracing);
      // Loading most of the program blocks the event loop for long, so the store, which opens in a thread, must have begun before.
      const stores = await openStores(parts, () =>
        parts.system.clock.loop.pass().then(() => import("../../cluster/index.ts")),
      );
      const saved = saveIdentity(parts);
      saveClusterClock(parts);
      const cluster = await openCluster(stores, parts);
      const listener = await listen(cluster.server, parts);
      // Requests are served before the roles exist; `/readyz` waits for them.
      const makingRoles = cluster.makeRoles();
      await saved();
      const kubeconfigFile = openKubeconfigs(parts);
      renewCertificates(listener, parts);
      await openSimulation(cluster, parts);
      await startControllers(cluster, stores.store, parts);
      compactSharedStore(cluster, stores.store, parts);
      await waitForRoles(makingRoles, parts);
      await startNode(cluster, parts);
      announce(parts);
      return running({ cluster, kubeconfigFile }, parts);
    },
    closeFailed(system.log ?? silentLog),
  );

/** Creates the cluster on the store, and watches for unreadable records and revoked users. */
async function openCluster(stores: Stores, parts: ServerParts): Promise<Cluster> {
  const { options, directory, users, opened } = parts;
  const { createCluster } = await import("../../cluster/index.ts");
  const cluster = await createCluster(clusterParts(stores, parts)).catch(async (error: unknown) => {
    throw await refusalOf(error, options, directory);
  });
  opened.defer(() => cluster.close(options.graceMillis));
  await reportUnreadable(cluster, stores, parts);
  const endRevoked = (): void => void cluster.server.endRevoked();
  parts.door?.join(shareSignOut(cluster.client("keelson-console"), options.dialect), endRevoked);
  if (users) opened.use(users.observe(endRevoked));
  return cluster;
}

/** Logs unreadable records and the missing keys (CRYPT-9); the records are read when the keys exist. */
async function reportUnreadable(cluster: Cluster, { encryption }: Stores, { system }: ServerParts): Promise<void> {
  if (!encryption && cluster.unreadable().length === 0) return;
  const { followUnreadable } = await import("../encryption/unreadable.ts");
  await followUnreadable(cluster, encryption, system.log);
}

/** Begins to save certificates and keys while the cluster is created; the returned function waits until they are on disk. */
function saveIdentity({ options, directory, pki, opened }: ServerParts): () => Promise<void> {
  if (!options.insecureHttp) void pki.ca;
  const saving = Promise.allSettled([directory?.save()]);
  opened.defer(async () => void (await saving));
  return async () => {
    const [saved] = await saving;
    if (saved.status === "rejected") throw saved.reason;
  };
}

/** Renews certificates, and the kubeconfigs with them. */
function renewCertificates(listener: Listener, parts: ServerParts): void {
  parts.renewal?.start(async () => {
    listener.setTls(tlsOf(parts));
    await parts.directory?.save();
    writeKubeconfigs(parts);
  });
}

const kubeconfigText = ({ address, pki }: ServerParts): string => kubeconfig(address.url, pki);

/** Writes the kubeconfigs; with `dev` they are removed when the server is closed. */
function openKubeconfigs(parts: ServerParts): string | undefined {
  const { dev, kubeconfigOut } = parts.options;
  if (dev && kubeconfigOut !== "" && !isSpecialFile(kubeconfigOut))
    parts.opened.defer(() => rmSync(kubeconfigOut, { force: true }));
  return writeKubeconfigs(parts);
}

/** Writes the kubeconfig to the data directory and to `--kubeconfig-out`; returns the file for clients. */
function writeKubeconfigs(parts: ServerParts): string | undefined {
  const { options, directory, system } = parts;
  const { kubeconfigOut, readOnly } = options;
  const own = directory?.writeKubeconfig(kubeconfigText(parts));
  if (directory && own === undefined && !readOnly) {
    const file = directory.file("admin.kubeconfig");
    system.log.warn("no disk space for the kubeconfig: the existing file may be outdated", { file });
  }
  if (kubeconfigOut === "") return own;
  writeNamedFile(kubeconfigOut, kubeconfigText(parts), 0o600);
  return kubeconfigOut;
}

/** How long the start waits for the default roles; an admission webhook that does not respond may delay them. */
const ROLES_TIMEOUT_MS = 2000;

async function waitForRoles(making: Promise<void>, { system: { clock } }: ServerParts): Promise<void> {
  const made = new AbortController();
  const waiting = sleep(clock, ROLES_TIMEOUT_MS, made.signal);
  await Promise.race([making, waiting]).finally(() => made.abort());
}

/** Starts the agent of the node in this process, with the permissions of an agent on any machine. */
async function startNode(cluster: Cluster, { options, system, node: holder, opened }: ServerParts): Promise<void> {
  const { node, dialect, readOnly } = options;
  if (!node || readOnly) return;
  const { openAgent } = await import("../node/node.ts");
  const identity = { user: `system:node:${node.name}`, groups: ["system:nodes", "system:authenticated"] };
  const client = cluster.client("keelson-node", identity);
  const agent = await openAgent({ ...node, ...system, client, dialect, freeze: false });
  opened.defer(() => agent.stop());
  void agent.failed.then((error) => system.log.error("the agent of the node has failed", { error: String(error) }));
  holder.agent = agent;
}

/** Writes `server.json` of the data directory. */
function announce({ options, directory, system, address }: ServerParts): void {
  const started = new Date(system.clock.now()).toISOString();
  directory?.writeRunning({
    pid: process.pid,
    version: VERSION,
    addresses: [address.url],
    dialect: options.dialect.name,
    started,
  });
}

interface Running {
  readonly cluster: Cluster;
  readonly kubeconfigFile: string | undefined;
}

function running({ cluster, kubeconfigFile }: Running, parts: ServerParts): RunningServer {
  const { options, pki, faults, address, opened } = parts;
  const { store } = cluster;
  const close = (): Promise<void> => opened.disposeAsync();
  return {
    url: address.url,
    dialect: options.dialect,
    pki,
    get kubeconfig() {
      return kubeconfigText(parts);
    },
    kubeconfigFile,
    store,
    client: (userAgent) => cluster.client(userAgent),
    faults,
    failed: store.failed,
    close,
    [Symbol.asyncDispose]: close,
  };
}
