/**
 * The kube-apiserver of envtest: a cluster in the dialect of Kubernetes, on the store of the emulated etcd or on a real etcd, with
 * the certificates and users of its flags.
 *
 * As with the real one, no controllers run, unless a suite asks for them: dependents and the content of namespaces are not deleted.
 *
 * @module
 */
import { existsSync } from "node:fs";
import { get } from "node:http";
import { hostname } from "node:os";
import { join } from "node:path";
import { kubernetes as dialect } from "../../meta/dialect.ts";
import { createPki, configuredKeyPair } from "../../pki/index.ts";
import type { TlsOptions } from "../../server/index.ts";
import type { Store } from "../../storage/contract.ts";
import { openEncryption } from "../encryption/open-encryption.ts";
import { makeDirectory, replaceFile } from "../storage/data-directory.ts";
import { openEtcd } from "../storage/etcd.ts";
import { urlHost } from "../start/listen.ts";
import type { Authentication } from "../authentication/authentication.ts";
import { OptionError } from "../options/types.ts";
import type { ApiServerPlan } from "./apiserver-flags.ts";
import { STORE_PATH, type StoreLocation } from "./etcd.ts";
import type { ServerParts } from "../start/server-parts.ts";
import type { SystemParts } from "../process/system-parts.ts";
import { readNamed } from "../files/named-file.ts";

/** A running API server. */
export interface RunningApiServer extends AsyncDisposable {
  readonly url: string;
  /** Resolves when the store has failed. */
  readonly failed: Promise<Error>;
}

/** The time for running requests when the server stops. */
const GRACE_MS = 1000;
const HISTORY_MS = 300_000;
const ETCD_TIMEOUT_MS = 10_000;

/** Starts a server; resolves when it accepts requests. After a failure everything is closed again. */
export async function runApiServer(plan: ApiServerPlan, system: SystemParts): Promise<RunningApiServer> {
  const open = new AsyncDisposableStack();
  try {
    return await assemble(plan, system, open);
  } catch (error) {
    await open.disposeAsync();
    throw error;
  }
}

async function assemble(
  plan: ApiServerPlan,
  system: SystemParts,
  open: AsyncDisposableStack,
): Promise<RunningApiServer> {
  const { bind, port } = plan.options;
  const openStore = await storeOpener(plan, system);
  const pair = servingPair(plan, system.clock);
  // Loading most of the program blocks the event loop for long, so the store, which opens in a thread, must have begun before.
  const [stored, { openAudit, authenticationOf, openCluster }] = await Promise.all([
    openStore(),
    system.clock.loop.pass().then(() => import("./cluster.ts")),
  ]);
  open.adopt(stored, () => stored.close());
  const encryption = await openEncryption(plan.options, { ...system, dialect }, open);
  const store = encryption?.over(stored) ?? stored;
  const authentication = authenticationOf(plan, system);
  open.defer(() => authentication.close());
  const simulated: ServerParts["simulated"] = {};
  const cluster = await openCluster(plan, {
    ...system,
    simulated,
    store,
    encryption,
    authentication,
    auditing: openAudit(plan.options.audit, system, open),
  });
  open.defer(() => cluster.close(GRACE_MS));
  if (encryption) await (await import("../encryption/unreadable.ts")).followUnreadable(cluster, encryption, system.log);
  if (plan.hasWorkloads) {
    const { startWorkloads } = await import("./workloads.ts");
    await startWorkloads(cluster, plan, { system, simulated, opened: open });
  }
  const tls = { ...pair, ...authoritiesOf(authentication) };
  const listener = await cluster.server.listen({ host: bind, port, tls });
  // Requests are served before the roles exist; `/readyz` waits for them.
  const makingRoles = cluster.makeRoles();
  open.defer(() => makingRoles);
  return {
    url: `https://${urlHost(bind)}:${listener.port}`,
    failed: store.failed,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/** Returns what opens the store: in the directory of the emulated etcd, or in a real etcd. */
async function storeOpener({ etcd }: ApiServerPlan, system: SystemParts): Promise<() => Promise<Store>> {
  const location = await storeLocation(etcd.servers[0] ?? "");
  if (!location) return () => openEtcd(etcd, dialect, system);
  const { openSqliteStore } = await import("../../storage/sqlite/store.ts");
  return () => openSqliteStore({ directory: location.directory, historyMillis: HISTORY_MS, ...system });
}

/** Requests the location of the store from the emulated etcd; undefined from a real one. */
async function storeLocation(url: string): Promise<StoreLocation | undefined> {
  if (!url.startsWith("http:")) return undefined;
  return new Promise((resolve, reject) => {
    const request = get(`${url}${STORE_PATH}`, { timeout: ETCD_TIMEOUT_MS, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (piece: string) => (text += piece));
      response.on("end", () => resolve(response.statusCode === 200 ? (JSON.parse(text) as StoreLocation) : undefined));
    });
    request.on("timeout", () => request.destroy(new Error(`no response within ${ETCD_TIMEOUT_MS / 1000} s`)));
    request.on("error", (error) => {
      reject(
        new OptionError(`expected --etcd-servers to name a running etcd, ${url} does not respond: ${error.message}`),
      );
    });
  });
}

const authoritiesOf = ({ clientCa, proxyCa }: Authentication): Pick<TlsOptions, "clientCa" | "proxyCa"> => ({
  ...(clientCa === "" ? {} : { clientCa }),
  ...(proxyCa === "" ? {} : { proxyCa }),
});

function readPair(cert: string, key: string) {
  try {
    return configuredKeyPair(readNamed("tls-cert-file", cert), readNamed("tls-private-key-file", key), cert, key);
  } catch (error) {
    throw new OptionError((error as Error).message);
  }
}

/** Returns the certificate of the options or of the certificate directory; without one it is created, and saved in the directory. */
function servingPair(
  { options: { bind, tls }, certificateDirectory: directory }: ApiServerPlan,
  clock: SystemParts["clock"],
) {
  const file = (type: string): string => (directory === "" ? "" : join(directory, `apiserver.${type}`));
  const { certFile: cert, keyFile: key } = tls ?? { certFile: file("crt"), keyFile: file("key") };
  if (cert !== "" && (tls || (existsSync(cert) && existsSync(key)))) return readPair(cert, key);
  const { server } = createPki({ clock, hosts: ["localhost", "127.0.0.1", "::1", hostname(), bind] });
  if (directory !== "") {
    makeDirectory(directory);
    replaceFile(cert, server.cert, { mode: 0o600 });
    replaceFile(key, server.key, { mode: 0o600 });
  }
  return server;
}
