/**
 * A server and an agent of Kubernetes for one node, with a stand-in for the container runtime. Agent and runtime are in a mount
 * namespace of their own, with the directories that the agent wants at fixed places; what is mounted there goes with them.
 *
 * @module
 */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parse } from "yaml";
import type { Found } from "../beside.ts";
import { NODE, NodeBeside } from "../storage/node-beside.ts";

const TOKEN = "token-of-the-node";

/** Places outside the agent's own directory that it writes to whatever it is told; memory in its namespace. */
const FIXED = ["/var/lib/kubelet", "/var/log", "/usr/libexec/kubernetes"];

/** A port that is free now. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

/** What the agent is configured to be: without groups of processes and limits, since nothing runs. */
const configuration = (endpoint: string, port: number, directory: string): object => ({
  apiVersion: "kubelet.config.k8s.io/v1beta1",
  kind: "KubeletConfiguration",
  containerRuntimeEndpoint: `unix://${endpoint}`,
  address: "127.0.0.1",
  port,
  healthzPort: 0,
  authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
  authorization: { mode: "AlwaysAllow" },
  failSwapOn: false,
  failCgroupV1: false,
  cgroupsPerQOS: false,
  enforceNodeAllocatable: [],
  localStorageCapacityIsolation: false,
  makeIPTablesUtilChains: false,
  resolvConf: "",
  volumePluginDir: join(directory, "plugins"),
  podLogsDir: join(directory, "logs"),
  nodeLeaseDurationSeconds: 4,
  syncFrequency: "2s",
  nodeStatusUpdateFrequency: "2s",
  nodeStatusReportFrequency: "4s",
  configMapAndSecretChangeDetectionStrategy: "Watch",
  // It asks for the room on disks that this machine may not have.
  evictionHard: {
    "nodefs.available": "0%",
    "nodefs.inodesFree": "0%",
    "imagefs.available": "0%",
    "memory.available": "1Mi",
  },
});

/** See the head of this file. */
export class KubeletWorld extends NodeBeside {
  readonly #bin: string;
  #agent!: ChildProcess;
  #log = "";

  constructor(bin: string) {
    super();
    this.#bin = bin;
  }

  get #kubeconfig(): string {
    return join(this.state, "node.kubeconfig");
  }

  /** What the agent has said. */
  get log(): string {
    return this.#log;
  }

  /** Starts server, runtime and agent, which is a node for the server and nothing more. */
  async start(): Promise<void> {
    mkdirSync(join(this.state, "exit"), { recursive: true });
    const tokens = join(this.state, "tokens.csv");
    writeFileSync(tokens, `${TOKEN},system:node:${NODE},node-a,"system:nodes"\n`);
    const modes = ["--authorization-mode", "Node,RBAC", "--enable-admission-plugins", "NodeRestriction"];
    await this.serve(...modes, "--token-auth-file", tokens);
    const config = parse(readFileSync(this.kubeconfig, "utf8")) as Found;
    config.users[0].user = { token: TOKEN };
    writeFileSync(this.#kubeconfig, JSON.stringify(config));
    await this.makeNamespace(FIXED);
    const socket = join(this.state, "runtime.sock");
    const runtime = this.inside([join(this.#bin, "runtime"), "--socket", socket, "--state", this.state], "runtime");
    await once(createInterface({ input: runtime.stdout! }), "line");
    const file = join(this.state, "kubelet.json");
    writeFileSync(file, JSON.stringify(configuration(socket, await freePort(), this.state)));
    this.startAgent();
  }

  /** Starts the agent, for the first time or again. */
  startAgent(): void {
    const places = [`--root-dir=${this.root}`, `--cert-dir=${join(this.state, "pki")}`];
    const told = [`--config=${join(this.state, "kubelet.json")}`, `--kubeconfig=${this.#kubeconfig}`, "-v=2"];
    const file = join(this.#bin, "kubelet");
    this.#agent = this.inside([file, ...told, ...places, `--hostname-override=${NODE}`], "kubelet");
    this.#agent.stderr!.on("data", (chunk: Buffer) => (this.#log += chunk.toString()));
  }

  /** Kills the agent without a word; resolves when it has gone. */
  async killAgent(): Promise<void> {
    await this.kill(this.#agent);
  }

  /** From now on containers of a name end at once with a code; undefined lets them run. */
  exit(container: string, code: number | undefined): void {
    const file = join(this.state, "exit", container);
    if (code === undefined) rmSync(file, { force: true });
    else writeFileSync(file, String(code));
  }

  /** What the runtime was asked to do so far, by a method. */
  calls(method: string): readonly Found[] {
    const file = join(this.state, "calls");
    if (!existsSync(file)) return [];
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    const all = lines.map((line) => JSON.parse(line) as Found).filter((call) => call.method === method);
    return all.map(({ request }) => request);
  }
}
