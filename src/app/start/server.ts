/**
 * From options to a running server: a cluster, with a directory, certificates and a port.
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
import { closeFailed } from "./close-failed.ts";
import { clusterParts } from "./cluster-parts.ts";
import { keepHistory, startControllers } from "./controllers.ts";
import { replaceFile } from "../storage/data-directory.ts";
import { listen, tlsOf } from "./listen.ts";
import { openServerParts } from "./open-server-parts.ts";
import { type Stores, openStores, refusalOf } from "./open-store.ts";
import type { ServeOptions } from "../options/options.ts";
import type { ServerParts, Surroundings } from "./server-parts.ts";
import { VERSION } from "../process/version.ts";

export type { Surroundings } from "./server-parts.ts";

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

/** Starts a server; resolves when it accepts requests. When that fails, what was opened on the way is closed again. */
export const runServer = (options: ServeOptions, surroundings: Surroundings = {}): Promise<RunningServer> =>
  openParts(
    async (opened) => {
      const parts = openServerParts(options, surroundings, opened);
      // Reading most of the program is one long piece of work: the store, which opens in a thread, has to have begun before.
      const stores = await openStores(parts, () =>
        parts.around.clock.loop.pass().then(() => import("../../cluster/index.ts")),
      );
      const saved = saveIdentity(parts);
      const cluster = await openCluster(stores, parts);
      const listener = await listen(cluster.server, parts);
      // Requests that come meanwhile are answered, by what is there; `/readyz` says when all is.
      const makingRoles = cluster.makeRoles();
      await saved();
      const kubeconfigFile = openKubeconfigs(parts);
      renewCertificates(listener, parts);
      await startControllers(cluster, stores.store, parts);
      keepHistory(cluster, stores.store, parts);
      await waitForRoles(makingRoles, parts);
      await startNode(cluster, parts);
      announce(parts);
      return running({ cluster, kubeconfigFile }, parts);
    },
    closeFailed(surroundings.log ?? silentLog),
  );

/** Makes the cluster over the store, and follows what may be read only later and who is not let in any more. */
async function openCluster(stores: Stores, parts: ServerParts): Promise<Cluster> {
  const { options, directory, users, opened } = parts;
  const { createCluster } = await import("../../cluster/index.ts");
  const cluster = await createCluster(clusterParts(stores, parts)).catch(async (error: unknown) => {
    throw await refusalOf(error, options, directory);
  });
  opened.defer(() => cluster.close(options.graceMillis));
  await reportUnreadable(cluster, stores, parts);
  if (users) opened.use(users.follow(() => void cluster.server.endRevoked()));
  return cluster;
}

/** Names what cannot be read, and what is missing for it (CRYPT-9); it is read when that is there. */
async function reportUnreadable(cluster: Cluster, { encryption }: Stores, { around }: ServerParts): Promise<void> {
  if (!encryption && cluster.unreadable().length === 0) return;
  const { followUnreadable } = await import("../encryption/unreadable.ts");
  await followUnreadable(cluster, encryption, around.log);
}

/** Begins to write certificates and keys, which reach the disk while the cluster is put together; the answer waits for them. */
function saveIdentity({ options, directory, pki, opened }: ServerParts): () => Promise<void> {
  if (!options.insecureHttp) void pki.ca;
  const saving = Promise.allSettled([directory?.save()]);
  opened.defer(async () => void (await saving));
  return async () => {
    const [saved] = await saving;
    if (saved.status === "rejected") throw saved.reason;
  };
}

/** Keeps certificates good for as long as the server runs, and kubeconfigs with them. */
function renewCertificates(listener: Listener, parts: ServerParts): void {
  parts.renewal?.start(async () => {
    listener.setTls(tlsOf(parts));
    await parts.directory?.save();
    writeKubeconfigs(parts);
  });
}

const kubeconfigText = ({ address, pki }: ServerParts): string => kubeconfig(address.url, pki);

/** Writes the first kubeconfigs; a server that keeps nothing removes them when it is closed. */
function openKubeconfigs(parts: ServerParts): string | undefined {
  const { dev, kubeconfigOut } = parts.options;
  if (dev && kubeconfigOut !== "") parts.opened.defer(() => rmSync(kubeconfigOut, { force: true }));
  return writeKubeconfigs(parts);
}

/** Writes the kubeconfig wherever it is wanted, and answers where it is. */
function writeKubeconfigs(parts: ServerParts): string | undefined {
  const { options, directory, around } = parts;
  const { kubeconfigOut, readOnly } = options;
  const own = directory?.writeKubeconfig(kubeconfigText(parts));
  if (directory && own === undefined && !readOnly) {
    const file = directory.file("admin.kubeconfig");
    around.log.warn("no room for the kubeconfig on the disk: what is there does not lead here", { file });
  }
  if (kubeconfigOut === "") return own;
  replaceFile(kubeconfigOut, kubeconfigText(parts), { mode: 0o600 });
  return kubeconfigOut;
}

/** How long the start waits for the roles that are there from the start, in ms: a webhook that does not answer may hold them. */
const MOST_FOR_ROLES_MS = 2000;

async function waitForRoles(making: Promise<void>, { around: { clock } }: ServerParts): Promise<void> {
  const made = new AbortController();
  const waiting = sleep(clock, MOST_FOR_ROLES_MS, made.signal);
  await Promise.race([making, waiting]).finally(() => made.abort());
}

/** Starts the agent of the node in this process, a client as on any other machine: it may do what agents may. */
async function startNode(cluster: Cluster, { options, around, node: place, opened }: ServerParts): Promise<void> {
  const { node, dialect, readOnly } = options;
  if (!node || readOnly) return;
  const { openAgent } = await import("../node/node.ts");
  const identity = { user: `system:node:${node.name}`, groups: ["system:nodes", "system:authenticated"] };
  const client = cluster.client("keelson-node", identity);
  const agent = await openAgent({ ...node, ...around, client, dialect, freeze: false });
  opened.defer(() => agent.stop());
  void agent.failed.then((error) =>
    around.log.error("the node is refused what it has to read", { error: String(error) }),
  );
  place.agent = agent;
}

/** Leaves a note in the data directory of who runs on it. */
function announce({ options, directory, around, address }: ServerParts): void {
  const started = new Date(around.clock.now()).toISOString();
  directory?.writeRunning({
    pid: process.pid,
    version: VERSION,
    addresses: [address.url],
    dialect: options.dialect.name,
    started,
  });
}

/** What a running server is made of, for those who have started it. */
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
