/**
 * The kube-apiserver of the directory: a cluster in the dialect of Kubernetes, on the store that the etcd beside it keeps,
 * with the certificates and users of its flags.
 *
 * As with the real one no controllers run beside it: what deletes dependents or the content of a namespace is another
 * program there.
 *
 * @module
 */
import { existsSync, mkdirSync } from "node:fs";
import { get } from "node:http";
import { hostname } from "node:os";
import { join } from "node:path";
import { kubernetes as dialect } from "../../meta/dialect.ts";
import { createPki, configuredKeyPair } from "../../pki/index.ts";
import type { TlsOptions } from "../../server/index.ts";
import type { Store } from "../../storage/contract.ts";
import type { Clock } from "../../util/clock.ts";
import { fileError } from "../../util/file-error.ts";
import { replaceFile } from "../storage/data-directory.ts";
import type { Encryption } from "../encryption/encryption.ts";
import { openEtcd } from "../storage/etcd.ts";
import type { Authentication } from "../authentication/authentication.ts";
import { OptionError } from "../options/types.ts";
import type { ApiServerPlan } from "./apiserver-flags.ts";
import { KEEPING_PATH, type Keeping } from "./etcd.ts";
import type { SourceParts } from "./cluster.ts";
import { readNamed } from "../files/named-file.ts";

/** A server that runs. */
export interface RunningApiServer extends AsyncDisposable {
  readonly url: string;
  /** Resolves when the store has failed. */
  readonly failed: Promise<Error>;
}

/** How long requests may take to end when the server stops. */
const GRACE_MS = 1000;
const HISTORY_MS = 300_000;
/** How long etcd may take to say where objects are kept. */
const ASK_MS = 10_000;

/** Starts a server; resolves when it answers. When that fails, what was opened on the way is closed again. */
export async function runApiServer(plan: ApiServerPlan, ground: SourceParts): Promise<RunningApiServer> {
  const open = new AsyncDisposableStack();
  try {
    return await assemble(plan, ground, open);
  } catch (error) {
    await open.disposeAsync();
    throw error;
  }
}

async function assemble(
  plan: ApiServerPlan,
  ground: SourceParts,
  open: AsyncDisposableStack,
): Promise<RunningApiServer> {
  const opening = await beginStore(plan, ground);
  const pair = servingPair(plan.certificate, plan.host, ground.clock);
  // Reading most of the program is one long turn: the store, which opens in a thread of its own, has to have begun before.
  const [stored, { auditingOf, authenticationOf, openCluster }] = await Promise.all([
    opening(),
    ground.clock.loop.pass().then(() => import("./cluster.ts")),
  ]);
  open.adopt(stored, () => stored.close());
  const encryption = await openEncryption(plan, ground, open);
  const store = encryption?.over(stored) ?? stored;
  const authentication = authenticationOf(plan, ground);
  open.defer(() => authentication.close());
  const cluster = await openCluster(plan, {
    ...ground,
    store,
    encryption,
    authentication,
    auditing: auditingOf(plan, ground, open),
  });
  open.defer(() => cluster.close(GRACE_MS));
  if (encryption) await (await import("../encryption/unreadable.ts")).followUnreadable(cluster, encryption, ground.log);
  const listener = await cluster.server.listen({
    host: plan.host,
    port: plan.port,
    tls: { ...pair, ...authoritiesOf(authentication) },
  });
  // Who asks meanwhile is answered, by what is there; `/readyz` says when all is.
  const makingRoles = cluster.makeRoles();
  open.defer(() => makingRoles);
  return {
    url: `https://${plan.host.includes(":") ? `[${plan.host}]` : plan.host}:${listener.port}`,
    failed: store.failed,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/** Reads what it takes to open the store in the directory that the etcd of ours names, or one in an etcd that is real. */
async function beginStore({ etcd }: ApiServerPlan, ground: SourceParts): Promise<() => Promise<Store>> {
  const keeping = await askEtcd(etcd.servers[0]!);
  if (!keeping) return () => openEtcd(etcd, dialect, ground);
  const { openSqliteStore } = await import("../../storage/sqlite/store.ts");
  return () => openSqliteStore({ directory: keeping.directory, historyMillis: HISTORY_MS, ...ground });
}

/** Reads which objects are encrypted and with which keys; nothing where that is not said. */
async function openEncryption(
  { encryption }: ApiServerPlan,
  ground: SourceParts,
  open: AsyncDisposableStack,
): Promise<Encryption | undefined> {
  if (!encryption) return undefined;
  const room = await import("../encryption/encryption.ts");
  return open.use(await room.Encryption.open({ ...encryption, dialect, ...ground }));
}

/** What the etcd of ours says; undefined from one that is real. */
async function askEtcd(url: string): Promise<Keeping | undefined> {
  if (!url.startsWith("http:")) return undefined;
  return new Promise((resolve, reject) => {
    const request = get(`${url}${KEEPING_PATH}`, { timeout: ASK_MS, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (piece: string) => (text += piece));
      response.on("end", () => resolve(response.statusCode === 200 ? (JSON.parse(text) as Keeping) : undefined));
    });
    request.on("timeout", () => request.destroy(new Error(`no answer within ${ASK_MS / 1000} s`)));
    request.on("error", (error) => {
      reject(
        new OptionError(`expected --etcd-servers to name an etcd that answers, ${url} does not: ${error.message}`),
      );
    });
  });
}

/** Whose client certificates it believes. */
const authoritiesOf = ({ clientCa, proxyCa }: Authentication): Pick<TlsOptions, "clientCa" | "proxyCa"> => ({
  ...(clientCa === "" ? {} : { clientCa }),
  ...(proxyCa === "" ? {} : { proxyCa }),
});

/** The pair that is named, the one that lies in the directory of certificates, or one that is made for there. */
function servingPair({ certFile, keyFile, directory }: ApiServerPlan["certificate"], host: string, clock: Clock) {
  const cert = certFile || (directory && join(directory, "apiserver.crt"));
  const key = keyFile || (directory && join(directory, "apiserver.key"));
  if (certFile !== "" || (cert !== "" && existsSync(cert) && existsSync(key))) {
    try {
      return configuredKeyPair(readNamed("tls-cert-file", cert), readNamed("tls-private-key-file", key), cert, key);
    } catch (error) {
      throw new OptionError((error as Error).message);
    }
  }
  const { server } = createPki({ clock, hosts: ["localhost", "127.0.0.1", "::1", hostname(), host] });
  if (directory !== "") {
    try {
      mkdirSync(directory, { recursive: true });
    } catch (error) {
      throw fileError(directory, "a directory that can be written to", error);
    }
    replaceFile(cert, server.cert, { mode: 0o600 });
    replaceFile(key, server.key, { mode: 0o600 });
  }
  return server;
}
