/**
 * Clusters of etcd on loopback for tests: of one member or more, with TLS or without, whose members can be killed,
 * paused and started again.
 *
 * @module
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { client } from "../../src/pki/index.ts";
import { authority, serving } from "../../src/pki/certificate.ts";
import { findEtcd } from "./binary.ts";

/** One member of a cluster. */
export interface EtcdMember {
  readonly name: string;
  readonly url: string;
  /** Ends it as a power cut would (SIGKILL); resolves when it is gone. */
  kill(): Promise<void>;
  /** Stops it without ending it: its sockets stay open and nothing answers. */
  pause(): void;
  resume(): void;
  /** Starts it again on its data. */
  start(): Promise<void>;
}

/** A cluster that runs. */
export interface EtcdCluster {
  readonly members: readonly EtcdMember[];
  readonly endpoints: readonly string[];
  readonly version: string;
  /** Where its members keep their data. */
  readonly directory: string;
  /** Files of the client's certificates, where the cluster has TLS. */
  readonly tls: { readonly ca: string; readonly cert: string; readonly key: string } | undefined;
  /** Ends it and removes its data. */
  close(): Promise<void>;
}

/** What a cluster should be like. */
export interface EtcdClusterOptions {
  /** One by default. */
  readonly members?: number;
  readonly tls?: boolean;
  /** More flags for every member, without their dashes. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Whether there is an etcd; prints which one, or why not. */
export const hasEtcd = async (): Promise<boolean> => (await findEtcd()).path !== undefined;

/** Starts a cluster; resolves when every member takes connections. */
export async function startEtcd({
  members = 1,
  tls = false,
  settings = {},
}: EtcdClusterOptions = {}): Promise<EtcdCluster> {
  const etcd = await findEtcd();
  if (etcd.path === undefined) throw new Error(etcd.reason);
  const directory = mkdtempSync(join(tmpdir(), "keelson-etcd-"));
  const ports = await freePorts(2 * members);
  const certificates = tls ? writeCertificates(directory) : undefined;
  const scheme = tls ? "https" : "http";
  const peers = ports.slice(members).map((port, i) => `m${i}=http://127.0.0.1:${port}`);
  const started = ports.slice(0, members).map((port, i) => {
    const url = `${scheme}://127.0.0.1:${port}`;
    const peer = `http://127.0.0.1:${ports[members + i]}`;
    const flags = flagsOf({
      name: `m${i}`,
      "data-dir": join(directory, `m${i}`),
      logger: "zap",
      "log-level": "warn",
      "listen-client-urls": url,
      "advertise-client-urls": url,
      "listen-peer-urls": peer,
      "initial-advertise-peer-urls": peer,
      "initial-cluster": peers.join(","),
      // A value of 1.5 MiB needs a request that is a little larger.
      "max-request-bytes": String(2 << 20),
      ...certificates?.flags,
      ...settings,
    });
    return new Member(etcd.path, flags, `m${i}`, url, port, join(directory, `m${i}.log`));
  });
  await Promise.all(started.map((member) => member.start()));
  return {
    members: started,
    endpoints: started.map(({ url }) => url),
    version: etcd.version,
    directory,
    tls: certificates?.client,
    async close() {
      await Promise.all(started.map((member) => member.kill()));
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

const flagsOf = (settings: Readonly<Record<string, string>>): string[] =>
  Object.entries(settings).map(([name, value]) => `--${name}=${value}`);

class Member implements EtcdMember {
  readonly name: string;
  readonly url: string;
  readonly #path: string;
  readonly #flags: readonly string[];
  readonly #port: number;
  readonly #log: string;
  #process: ChildProcess | undefined;

  constructor(path: string, flags: readonly string[], name: string, url: string, port: number, log: string) {
    this.#path = path;
    this.#flags = flags;
    this.name = name;
    this.url = url;
    this.#port = port;
    this.#log = log;
  }

  async start(): Promise<void> {
    const log = openSync(this.#log, "a");
    const child = spawn(this.#path, this.#flags, { stdio: ["ignore", log, log] });
    this.#process = child;
    const end = performance.now() + 30_000;
    while (!(await accepts(this.#port))) {
      if (child.exitCode !== null || performance.now() > end) {
        throw new Error(`etcd ${this.name} did not start: ${readFileSync(this.#log, "utf8").slice(-2000)}`);
      }
      await wait(50);
    }
  }

  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
  }

  pause(): void {
    this.#process?.kill("SIGSTOP");
  }

  resume(): void {
    this.#process?.kill("SIGCONT");
  }
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Unused ports, all of them different. */
async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, "127.0.0.1");
      await once(server, "listening");
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

function writeCertificates(directory: string) {
  const term = { now: Date.now(), days: 1 };
  const ca = authority(term);
  const server = serving(ca, ["127.0.0.1", "localhost"], term);
  const user = client(ca, "keelson", [], term);
  const file = (name: string, text: string): string => {
    const path = join(directory, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const files = {
    ca: file("ca.crt", ca.cert),
    cert: file("client.crt", user.cert),
    key: file("client.key", user.key),
  };
  const flags = {
    "cert-file": file("server.crt", server.cert),
    "key-file": file("server.key", server.key),
    "client-cert-auth": "true",
    "trusted-ca-file": files.ca,
  };
  return { client: files, flags };
}
