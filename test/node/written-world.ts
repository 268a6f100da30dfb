/**
 * A cluster in this process, and the plugin of written volumes of a node of it, which asks with the rights of a node alone.
 *
 * @module
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { authorizerOf } from "../../src/auth/authorizer.ts";
import type { TokenSigner } from "../../src/auth/service-account-tokens.ts";
import type { Client } from "../../src/client/index.ts";
import { Node, Pod, ServiceAccount } from "../../src/client/kinds/index.ts";
import { type Cluster, createCluster } from "../../src/cluster/index.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import { gatesOf } from "../../src/meta/gates.ts";
import type { MadeVolume, Mounter, PluginContext } from "../../src/node/contract.ts";
import { volumePath } from "../../src/node/paths.ts";
import { TokenKeeper } from "../../src/node/tokens.ts";
import { WrittenVolumes } from "../../src/node/written/plugin.ts";
import { type Manager, createManager } from "../../src/runtime/index.ts";
import { openMemoryStore } from "../../src/storage/memory/store.ts";
import { Activity } from "../../src/util/activity.ts";
import { ManualClock, seededRandom } from "../../src/util/clock.ts";
import { silentLog } from "../../src/util/log.ts";
import type { PodVolume } from "../../src/volumes/contract.ts";
import { kitPlugins } from "../../src/testing/plugins.ts";

export const NODE = "n";
const AGENT = { user: `system:node:${NODE}`, groups: ["system:nodes", "system:authenticated"] };

let tokens = 0;
/** Tokens say in plain JSON what they were asked to say, and their number. */
const readable: TokenSigner = {
  issuance: { issuer: "test", audiences: ["test"], extendsExpiration: false },
  sign: async (claims) => ({ token: JSON.stringify({ ...claims, number: ++tokens }), id: "" }),
  signForSecret: async (...said) => JSON.stringify(said),
};

/** A volume as a user writes it, before defaults. */
export interface NewVolume {
  readonly name: string;
  readonly [member: string]: unknown;
}

/** A machine that cannot mount. */
export const noMounts: Mounter = {
  canMount: false,
  mounts: () => Promise.resolve([]),
  isMountPoint: () => Promise.resolve(false),
  bind: () => Promise.reject(new Error("not permitted")),
  mount: () => Promise.reject(new Error("not permitted")),
  unmount: () => Promise.resolve(),
};

/** See the head of this file. */
export class WrittenWorld implements AsyncDisposable {
  readonly clock: ManualClock;
  readonly activity: Activity;
  readonly cluster: Cluster;
  readonly root = mkdtempSync(join(tmpdir(), "keelson-written-"));
  /** The Pods that the plugin wanted to be looked at, by name. */
  readonly looks: string[] = [];
  /** Paths of requests that the agent has sent. */
  readonly requests: string[] = [];
  readonly warnings: string[] = [];
  /** How far the wall clock of the node was set forward. */
  readonly wall = { ahead: 0 };
  /** Whether lists and watches of the agent fail. */
  isDeaf = false;
  readonly plugin: WrittenVolumes;
  readonly context: PluginContext;
  readonly #manager: Manager;
  readonly #names = new Map<string, string>();

  private constructor(cluster: Cluster, clock: ManualClock, activity: Activity, mounter: Mounter) {
    this.cluster = cluster;
    this.clock = clock;
    this.activity = activity;
    const client = cluster.client("node", AGENT).with({
      clock,
      through: (transport) => (request) => {
        this.requests.push(`${request.method} ${request.path}`);
        const isList = request.method === "GET" && request.path.includes("fieldSelector");
        return this.isDeaf && isList ? Promise.reject(new Error("nobody there")) : transport(request);
      },
    });
    const log = { ...silentLog, warn: (message: string) => void this.warnings.push(message) };
    this.#manager = createManager({ client, name: "node", clock, activity, seed: 1, log });
    const random = seededRandom(2);
    this.context = {
      node: NODE,
      root: this.root,
      dialect: kubernetes,
      client,
      clock: {
        loop: clock.loop,
        now: () => clock.now() + this.wall.ahead,
        steady: () => clock.steady(),
        after: clock.after.bind(clock),
      },
      random,
      log,
      activity,
      mounter,
      informer: (spec) => this.#manager.informer(spec),
      pods: () => [],
      lookAt: (uid) => void this.looks.push(this.#names.get(uid) ?? uid),
      event() {},
      allocatable: () => ({ cpu: "4", memory: "8Gi" }),
    };
    const keeper = new TokenKeeper({ client, clock, random });
    this.plugin = new WrittenVolumes(this.context, { tokens: keeper });
  }

  static async create(mounter: Mounter = noMounts): Promise<WrittenWorld> {
    const clock = new ManualClock();
    const activity = new Activity(clock);
    const cluster = await createCluster({
      store: await openMemoryStore({ activity }),
      dialect: kubernetes,
      gates: gatesOf(kubernetes, {
        PodCertificateRequest: true,
        ClusterTrustBundle: true,
        ClusterTrustBundleProjection: true,
      }),
      clock,
      random: seededRandom(1),
      authorizer: authorizerOf(["Node", "RBAC"]),
      plugins: kitPlugins({ enable: ["NodeRestriction"] }),
      signer: () => readable,
      server: { activity },
    });
    const world = new WrittenWorld(cluster, clock, activity, mounter);
    await world.admin.resource(Node).create({ metadata: { name: NODE } });
    await world.admin.resource(ServiceAccount).create({ metadata: { namespace: "default", name: "robot" } });
    return world;
  }

  get admin(): Client {
    return this.cluster.client("test");
  }

  /** A Pod on the node with volumes. */
  async pod(name: string, volumes: readonly NewVolume[], spec: object = {}): Promise<Pod> {
    const pod = await this.admin.resource(Pod).create({
      metadata: { namespace: "default", name },
      spec: {
        nodeName: NODE,
        serviceAccountName: "robot",
        containers: [{ name: "c", image: "i" }],
        volumes,
        ...spec,
      } as never,
    });
    this.#names.set(pod.metadata.uid, name);
    return pod;
  }

  path(pod: Pod, name: string): string {
    const volume = volumeOf(pod, name);
    const kind = this.plugin.kindOf({ pod, volume, path: "", mode: "Filesystem", readOnly: false });
    return volumePath(this.root, pod.metadata.uid, kind, name);
  }

  /** Sets a volume up, as the agent does at every look. */
  setUp(pod: Pod, name: string): Promise<MadeVolume> {
    const needed = {
      pod,
      volume: volumeOf(pod, name),
      path: this.path(pod, name),
      mode: "Filesystem",
      readOnly: false,
    } as const;
    if (!this.plugin.makes(needed)) throw new Error(`expected the plugin to make ${name}`);
    return this.plugin.setUp(needed);
  }

  tearDown(pod: Pod, name: string): Promise<void> {
    const kind = "kubernetes.io~projected";
    return this.plugin.tearDown({
      podUid: pod.metadata.uid,
      name,
      kind,
      mode: "Filesystem",
      path: this.path(pod, name),
    });
  }

  read(pod: Pod, volume: string, file: string): string {
    return readFileSync(`${this.path(pod, volume)}/${file}`, "utf8");
  }

  settled(): Promise<void> {
    return this.activity.idle();
  }

  /** Moves the clock; all that happens on the way comes to rest. */
  advance(ms: number): Promise<void> {
    return this.clock.advanceSettled(ms, () => this.settled());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.plugin.close();
    await this.#manager.stop({ grace: 0 });
    const closing = this.cluster.close(0);
    await this.advance(1000);
    await closing;
    rmSync(this.root, { recursive: true, force: true });
  }
}

function volumeOf({ spec }: Pod, name: string): PodVolume {
  const volume = (spec.volumes ?? []).find((one) => one.name === name);
  if (!volume) throw new Error(`expected a volume ${name}`);
  return volume;
}
