/**
 * An agent on a cluster of this process, with a directory of its own: what tests of the node stand on.
 *
 * @module
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Identity } from "../../src/auth/contract.ts";
import type { TokenSigner } from "../../src/auth/service-account-tokens.ts";
import { authorizerOf } from "../../src/auth/authorizer.ts";
import type { Client, Kind, NewObject, ResourceClient, Scope, ApiObject } from "../../src/client/index.ts";
import { CoreEvent, Node, Pod } from "../../src/client/kinds/index.ts";
import { type Cluster, createCluster } from "../../src/cluster/index.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import { type AgentOptions, type RunningAgent, startAgent } from "../../src/node/agent.ts";
import type { Mounter, NeededVolume, PluginContext, VolumePlugin } from "../../src/node/contract.ts";
import { openMemoryStore } from "../../src/storage/memory/store.ts";
import { Activity } from "../../src/util/activity.ts";
import { ManualClock, seededRandom } from "../../src/util/clock.ts";
import { type Duration, millisOf } from "../../src/util/duration.ts";
import { silentLog } from "../../src/util/log.ts";
import { kitPlugins } from "../../src/testing/plugins.ts";

export const NODE = "n1";
export const AGENT: Identity = { user: `system:node:${NODE}`, groups: ["system:nodes", "system:authenticated"] };
export const at = (name: string) => ({ name, namespace: "default" });

/** A machine that mounts nothing. */
export const noMounts: Mounter = {
  canMount: false,
  mounts: async () => [],
  isMountPoint: async () => false,
  bind: async () => {},
  mount: async () => {},
  unmount: async () => {},
};

let tokens = 0;
/** Tokens of service accounts say in plain JSON what they were asked to say; no two are the same. */
const readable: TokenSigner = {
  issuance: { issuer: "test", audiences: ["test"], extendsExpiration: false },
  sign: async (claims) => ({ token: JSON.stringify([++tokens, claims]), id: "" }),
  signForSecret: async (...said) => JSON.stringify(said),
};

/** See the head of this file. */
export class NodeWorld implements AsyncDisposable {
  readonly clock: ManualClock;
  readonly activity: Activity;
  readonly cluster: Cluster;
  readonly root: string;
  readonly warnings: string[] = [];
  agent: RunningAgent | undefined;
  /** Events of agents that are started one after the other have other names, although no time passes. */
  #starts = 0;

  private constructor(cluster: Cluster, clock: ManualClock, activity: Activity, root: string) {
    this.cluster = cluster;
    this.clock = clock;
    this.activity = activity;
    this.root = root;
  }

  /** A cluster in which an agent may do what an agent may. */
  static async create(): Promise<NodeWorld> {
    const clock = new ManualClock();
    const activity = new Activity(clock);
    const cluster = await createCluster({
      store: await openMemoryStore({ activity }),
      dialect: kubernetes,
      clock,
      random: seededRandom(1),
      authorizer: authorizerOf(["Node", "RBAC"]),
      plugins: kitPlugins({ enable: ["NodeRestriction"] }),
      signer: () => readable,
      defaultRoles: true,
      server: { activity },
    });
    await cluster.makeRoles();
    const root = await mkdtemp(join(tmpdir(), "keelson-node-"));
    return new NodeWorld(cluster, clock, activity, root);
  }

  get client(): Client {
    return this.cluster.client("test");
  }

  resource<T extends ApiObject, S extends Scope>(kind: Kind<T, S>): ResourceClient<T, S> {
    return this.client.resource(kind);
  }

  /** Starts the agent, in the name of its node. */
  async start(options: Partial<AgentOptions> = {}): Promise<RunningAgent> {
    const { clock, activity, root } = this;
    this.agent = await startAgent({
      name: NODE,
      root,
      client: this.cluster.client("agent", AGENT),
      dialect: kubernetes,
      version: "0.0.0",
      mounter: noMounts,
      plugins: async () => [],
      clock,
      random: seededRandom(++this.#starts),
      activity,
      log: { ...silentLog, warn: (message, facts) => this.warnings.push(`${message} ${JSON.stringify(facts)}`) },
      ...options,
    });
    await this.settled();
    return this.agent;
  }

  settled(): Promise<void> {
    return this.activity.idle();
  }

  advance(by: Duration): Promise<void> {
    return this.clock.advanceSettled(millisOf(by), () => this.settled());
  }

  /** Makes a Pod on the node; its one container mounts all of its volumes. */
  async pod(name: string, volumes: readonly object[], spec: object = {}, metadata: object = {}): Promise<Pod> {
    const volumeMounts = volumes.map((volume) => ({
      name: (volume as { name: string }).name,
      mountPath: `/${(volume as { name: string }).name}`,
    }));
    const containers = [{ name: "c", image: "i", volumeMounts }];
    const made = await this.resource(Pod).create({
      metadata: { ...at(name), ...metadata },
      spec: { nodeName: NODE, containers, volumes, automountServiceAccountToken: false, ...spec },
    } as NewObject<Pod>);
    await this.settled();
    return made;
  }

  findPod(name: string): Promise<Pod | undefined> {
    return this.resource(Pod).find(at(name));
  }

  /** The Events about an object: type, reason, message and count. */
  async events(name: string) {
    const { items } = await this.resource(CoreEvent).list();
    return items
      .filter(({ involvedObject }) => involvedObject.name === name)
      .map(({ type, reason, message, count, source }) => ({ type, reason, message, count, source }));
  }

  node(): Promise<Node | undefined> {
    return this.resource(Node).find({ name: NODE });
  }

  /** A path in the directory of a Pod. */
  at(pod: Pod, ...path: readonly string[]): string {
    return join(this.root, "pods", pod.metadata.uid, ...path);
  }

  has(pod: Pod, ...path: readonly string[]): boolean {
    return existsSync(this.at(pod, ...path));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const stopping = this.agent?.stop();
    await this.advance("20s");
    await stopping;
    const closing = this.cluster.close(0);
    await this.advance("1s");
    await closing;
    unmountBelow(this.root);
    await rm(this.root, { recursive: true, force: true });
  }
}

/** Takes away the mounts of a test that has failed in between: nothing is removed through them. */
function unmountBelow(root: string): void {
  const table = readFileSync("/proc/self/mountinfo", "utf8").split("\n");
  const paths = table.flatMap((line) => line.split(" ")[4] ?? []).filter((path) => path.startsWith(`${root}/`));
  for (const path of paths.toReversed()) execFileSync("umount", [path]);
}

/** A plugin of `emptyDir` volumes that records its calls, and fails where a test says so. */
export class NotedPlugin implements VolumePlugin {
  readonly kind = "kubernetes.io~empty-dir";
  readonly calls: string[] = [];
  /** Why a call fails, by its name and that of the volume: `setUp data`. */
  readonly failures = new Map<string, Error>();
  /** What calls wait for, likewise. */
  readonly gates = new Map<string, Promise<void>>();
  context: PluginContext | undefined;

  constructor(more: Partial<VolumePlugin> = {}) {
    Object.assign(this, more);
  }

  /** As an agent opens its plugins. */
  readonly open = async (context: PluginContext): Promise<readonly VolumePlugin[]> => {
    this.context = context;
    return [this];
  };

  makes({ volume }: NeededVolume): boolean {
    return volume.emptyDir !== undefined;
  }

  async setUp({ volume, path }: NeededVolume) {
    await this.#begin("setUp", volume.name);
    await mkdir(path, { recursive: true });
    await writeFile(join(path, "file"), volume.name);
    return { source: path };
  }

  async tearDown({ name, path }: { readonly name: string; readonly path: string }) {
    await this.#begin("tearDown", name);
    await rm(path, { recursive: true, force: true });
  }

  async #begin(call: string, name: string): Promise<void> {
    this.calls.push(`${call} ${name}`);
    await this.gates.get(`${call} ${name}`);
    const failure = this.failures.get(`${call} ${name}`);
    if (failure) throw failure;
  }
}

export const textOf = (path: string): Promise<string> => readFile(path, "utf8");
