/**
 * A node for tests: a cluster in this process, a directory, drivers over their sockets, and the plugin of volumes of drivers with
 * the rights of a node. The agent around the plugin is the test.
 *
 * @module
 */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Identity } from "../../src/auth/contract.ts";
import { authorizerOf } from "../../src/auth/authorizer.ts";
import { type NewObject, inDomain } from "../../src/client/index.ts";
import type { ApiObject, Client, Kind, ResourceClient, Scope } from "../../src/client/index.ts";
import {
  CSIDriver,
  CSINode,
  Node,
  type PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  type VolumeAttachment,
} from "../../src/client/kinds/index.ts";
import { attachmentName } from "../../src/claims/attachment.ts";
import { dialectOf } from "../../src/meta/dialect.ts";
import type {
  FoundVolume,
  MadeVolume,
  Mounter,
  NeededVolume,
  PluginContext,
  VolumePlugin,
} from "../../src/node/contract.ts";
import { csiPlugin } from "../../src/node/csi/index.ts";
import type { CsiSettings } from "../../src/node/csi/parts.ts";
import { devicePath, volumePath } from "../../src/node/paths.ts";
import { type Manager, createManager } from "../../src/runtime/index.ts";
import { type ManualClock, seededRandom } from "../../src/util/clock.ts";
import { newLog } from "../../src/util/log.ts";
import { type World, worldOf } from "../rules/api.ts";
import { ModelDriver } from "./model-driver.ts";

/** A recorded Event. */
export interface ToldEvent {
  readonly type: string;
  readonly about: string;
  readonly reason: string;
  readonly note: string;
}

/** What a node is made with. */
export interface NodeOptions {
  readonly dialect?: "kubernetes" | "neutral";
  /** What is not as usual, given what the agent has. */
  readonly settings?: (context: PluginContext) => Partial<CsiSettings>;
  readonly gates?: string;
}

const NODE = "n1";
/** Who the agent is. */
const AS_NODE: Identity = { user: `system:node:${NODE}`, groups: ["system:nodes", "system:authenticated"] };

/** Never aborted. */
const SIGNAL = new AbortController().signal;

/** See the head of this file. */
export class NodeWorld implements AsyncDisposable {
  readonly root = mkdtempSync(join(tmpdir(), "node-csi-"));
  readonly world: World;
  readonly events: ToldEvent[] = [];
  readonly warnings: string[] = [];
  readonly lookedAt: string[] = [];
  readonly drivers: ModelDriver[] = [];
  readonly groups: { readonly path: string; readonly wish: object }[] = [];
  readonly tokens: object[] = [];
  /** Keeps a look at a path from being answered, where a test wants that. */
  holdAt: (path: string) => Promise<void> | undefined = () => undefined;
  readonly #options: NodeOptions;
  readonly #manager: Manager;
  #plugin: VolumePlugin | undefined;
  #uids = 0;

  private constructor(world: World, options: NodeOptions) {
    this.world = world;
    this.#options = options;
    const { clock, cluster, activity } = world;
    this.#manager = createManager({
      client: cluster.client("keelson-node", AS_NODE),
      name: "node",
      clock,
      activity,
      seed: 1,
      dialect: options.dialect ?? "kubernetes",
    });
  }

  static async create(options: NodeOptions = {}): Promise<NodeWorld> {
    const { dialect = "kubernetes", gates } = options;
    const raw = { dialect, ...(gates === undefined ? {} : { "feature-gates": gates }) };
    const world = await worldOf(raw, {
      authorizer: authorizerOf(["Node", "RBAC"]),
      plugins: { enable: ["NodeRestriction"] },
    });
    const node = new NodeWorld(world, options);
    await node.resource(Node).create({ metadata: { name: NODE } } as NewObject<Node>);
    return node;
  }

  /** A node with a driver that is registered. */
  static async withDriver(
    spec: Partial<CSIDriver["spec"]> | undefined = { attachRequired: false },
    options: NodeOptions & { readonly name?: string } = {},
  ): Promise<NodeWorld> {
    const node = await NodeWorld.create(options);
    if (spec) await node.describe(spec, options.name);
    await node.addDriver(options.name);
    await node.start();
    return node;
  }

  get clock(): ManualClock {
    return this.world.clock;
  }

  get driver(): ModelDriver {
    return this.drivers[0]!;
  }

  get plugin(): VolumePlugin {
    return this.#plugin!;
  }

  get client(): Client {
    return this.world.cluster.client("test");
  }

  resource<T extends ApiObject, S extends Scope>(kind: Kind<T, S>): ResourceClient<T, S> {
    return this.client.resource(this.kind(kind));
  }

  kind<T extends ApiObject, S extends Scope>(kind: Kind<T, S>): Kind<T, S> {
    return inDomain(kind, dialectOf(this.#options.dialect ?? "kubernetes")!.domain) as Kind<T, S>;
  }

  /** Writes the CSIDriver object of a driver. */
  async describe(spec: Partial<CSIDriver["spec"]>, name = "d.example.com"): Promise<void> {
    const found = await this.resource(CSIDriver).find({ name });
    if (found) await this.resource(CSIDriver).update({ ...found, spec: { ...found.spec, ...spec } });
    else await this.resource(CSIDriver).create({ metadata: { name }, spec } as NewObject<CSIDriver>);
    await this.settled();
  }

  /** Has a driver listen, and its registrar with it. */
  async addDriver(
    name?: string,
    more: { readonly versions?: readonly string[]; readonly file?: string } = {},
  ): Promise<ModelDriver> {
    const driver = new ModelDriver(name);
    await driver.serve(join(this.root, "plugins", `${this.drivers.length}-${driver.name}`, "csi.sock"));
    await driver.register(this.root, more);
    this.drivers.push(driver);
    return driver;
  }

  /** Another driver, registered, and described unless that is null; drivers of other tests are left alone. */
  async fresh(
    spec: Partial<CSIDriver["spec"]> | null = { attachRequired: false },
    change: (driver: ModelDriver) => void = () => {},
  ): Promise<ModelDriver> {
    const driver = new ModelDriver(`d${this.drivers.length}.example.com`);
    change(driver);
    if (spec) await this.describe(spec, driver.name);
    await driver.serve(join(this.root, "plugins", driver.name, "csi.sock"));
    await driver.register(this.root);
    this.drivers.push(driver);
    await this.until(() => driver.answers.length > 0);
    return driver;
  }

  /** Begins the plugin; resolves when drivers that are there are registered, or could not be. */
  async start(): Promise<void> {
    const context = this.#context();
    const plugin = await csiPlugin({
      tokens: {
        get: async (pod, wish) => {
          this.tokens.push({ pod: pod.metadata.name, ...wish });
          return { token: `token ${this.tokens.length}`, expirationTimestamp: "2026-01-01T01:00:00Z" };
        },
      },
      applyGroup: async (path, wish) => void this.groups.push({ path, wish }),
      ...this.#options.settings?.(context),
    })(context);
    this.#plugin = plugin;
    await this.settled();
  }

  /** Ends the plugin and begins another from what lies on disk. */
  async restart(): Promise<void> {
    await this.plugin.close?.();
    await this.start();
  }

  settled(): Promise<void> {
    return this.world.activity.idle();
  }

  /** Lets time pass. */
  async pass(ms: number): Promise<void> {
    await this.clock.advanceSettled(ms, () => this.settled());
  }

  /** Waits for notifications of the file system, which are not counted. */
  async until(holds: () => boolean | Promise<boolean>): Promise<void> {
    for (let tries = 0; tries < 500; tries++) {
      await this.settled();
      if (await holds()) return;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    throw new Error(`expected this to become true: ${holds.toString()}`);
  }

  csiNode(): Promise<CSINode | undefined> {
    return this.resource(CSINode).find({ name: NODE });
  }

  /** A Pod; it is stored where a test asks for it. */
  pod(more: { readonly name?: string; readonly spec?: object; readonly uid?: string } = {}): Pod {
    const { name = `p${this.#uids}`, uid = `uid-${this.#uids++}`, spec } = more;
    const metadata = { name, namespace: "default", uid };
    return {
      apiVersion: "v1",
      kind: "Pod",
      metadata,
      spec: { serviceAccountName: "runner", ...spec },
      status: {},
    } as unknown as Pod;
  }

  /** A volume as a Pod needs it that claims it. */
  persistent(pod: Pod, more: PersistentOptions = {}): NeededVolume {
    const { name = `v${this.#uids++}`, csi, spec, claim, readOnly = false, mode = "Filesystem", isAttached } = more;
    const driver = csi?.driver ?? "d.example.com";
    const source = { driver, volumeHandle: `h-${name}`, ...csi };
    const volume = {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name, uid: `uid-of-${name}` },
      spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], volumeMode: mode, csi: source, ...spec },
    } as unknown as PersistentVolume;
    const found = claim ?? this.claim(name);
    return {
      pod,
      volume: { name: "data", persistentVolumeClaim: { claimName: found.metadata.name } },
      persistent: { claim: found, volume },
      path: this.pathOf(pod, name, mode),
      mode,
      readOnly,
      attachment:
        isAttached === undefined ? undefined : this.attachment({ driver, handle: source.volumeHandle }, isAttached),
    };
  }

  claim(name: string, status: object = { phase: "Bound", capacity: { storage: "1Gi" } }): PersistentVolumeClaim {
    return {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: `claim-of-${name}`, namespace: "default", uid: `uid-of-claim-of-${name}` },
      spec: { volumeName: name, resources: { requests: { storage: "1Gi" } } },
      status,
    } as unknown as PersistentVolumeClaim;
  }

  /** A claim of a volume, stored with a status. */
  async storedClaim(name: string, status: object): Promise<PersistentVolumeClaim> {
    const claims = this.resource(PersistentVolumeClaim);
    const made = await claims.create({
      metadata: { name: `claim-of-${name}`, namespace: "default" },
      spec: {
        accessModes: ["ReadWriteOnce"],
        volumeName: name,
        storageClassName: "",
        resources: { requests: { storage: "2Gi" } },
      },
    } as NewObject<PersistentVolumeClaim>);
    return claims.status.update({ ...made, status } as PersistentVolumeClaim);
  }

  /** A Pod on the node that claims, stored: so the node may read and write what it claims. */
  storedPod(claim: PersistentVolumeClaim, more: object = {}): Promise<Pod> {
    return this.resource(Pod).create({
      metadata: { name: `pod-of-${claim.metadata.name}`, namespace: "default" },
      spec: {
        nodeName: NODE,
        containers: [{ name: "c", image: "i" }],
        volumes: [{ name: "data", persistentVolumeClaim: { claimName: claim.metadata.name } }],
        ...more,
      },
    } as NewObject<Pod>);
  }

  attachment(disk: { readonly driver: string; readonly handle: string }, status: object): VolumeAttachment {
    return {
      metadata: { name: attachmentName(disk, NODE) },
      spec: { attacher: disk.driver, nodeName: NODE, source: {} },
      status,
    } as unknown as VolumeAttachment;
  }

  /** An inline volume of a Pod. */
  inline(pod: Pod, csi: object = {}, name = "x"): NeededVolume {
    return {
      pod,
      volume: { name, csi: { driver: "d.example.com", ...csi } },
      path: this.pathOf(pod, name, "Filesystem"),
      mode: "Filesystem",
      readOnly: false,
    };
  }

  pathOf(pod: Pod, name: string, mode: NeededVolume["mode"]): string {
    const uid = pod.metadata.uid!;
    const place = [this.root, uid, "kubernetes.io~csi", name] as const;
    return mode === "Block" ? devicePath(...place) : join(volumePath(...place), "mount");
  }

  setUp(needed: NeededVolume): Promise<MadeVolume> {
    return this.plugin.setUp(needed, SIGNAL);
  }

  /** Takes a volume of a Pod down as the agent finds it on disk. */
  tearDown({ pod, persistent, volume, mode }: NeededVolume): Promise<void> {
    const name = persistent?.volume.metadata.name ?? volume.name;
    return this.plugin.tearDown(this.found(pod.metadata.uid!, name, mode), SIGNAL);
  }

  found(podUid: string, name: string, mode: NeededVolume["mode"] = "Filesystem"): FoundVolume {
    const place = [this.root, podUid, "kubernetes.io~csi", name] as const;
    const path = mode === "Block" ? devicePath(...place) : volumePath(...place);
    return { podUid, name, kind: "kubernetes.io~csi", mode, path };
  }

  /** What is left of volumes in the directories of Pods and of drivers; where a word is given, paths with that word. */
  left(word = ""): readonly string[] {
    const below = ["pods", join("plugins", "kubernetes.io")];
    return below
      .flatMap((directory) => filesIn(join(this.root, directory)))
      .filter((path) => path.slice(this.root.length).includes(word));
  }

  /** The volumes of Pods that the agent would find. */
  foundVolumes(): readonly FoundVolume[] {
    return namesIn(join(this.root, "pods")).flatMap((uid) =>
      (["Filesystem", "Block"] as const).flatMap((mode) => {
        const folder = mode === "Block" ? "volumeDevices" : "volumes";
        const names = namesIn(join(this.root, "pods", uid, folder, "kubernetes.io~csi"));
        return names.map((name) => this.found(uid, name, mode));
      }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#plugin?.close?.();
    await Promise.all(this.drivers.map((driver) => driver.close()));
    await this.#manager.stop({ grace: 0 });
    await this.world.cluster.close(0);
    await this.world.cluster.store.close();
    rmSync(this.root, { recursive: true, force: true });
  }

  #context(): PluginContext {
    const { clock, activity, cluster } = this.world;
    return {
      node: NODE,
      root: this.root,
      dialect: dialectOf(this.#options.dialect ?? "kubernetes")!,
      client: cluster.client("keelson-node", AS_NODE),
      clock,
      random: seededRandom(1),
      log: newLog((level, message, facts) => {
        if (level === "warn" || level === "error") this.warnings.push(`${message} ${JSON.stringify(facts)}`);
      }),
      activity,
      mounter: this.#mounter(),
      informer: (spec) => this.#manager.informer(spec),
      pods: () => [],
      lookAt: (uid) => void this.lookedAt.push(uid),
      event: (type, { kind, metadata }, reason, note) =>
        void this.events.push({ type, about: `${kind} ${metadata.name}`, reason, note }),
      allocatable: () => ({}),
    };
  }

  #mounter(): Mounter {
    const none = (): Promise<never> => Promise.reject(new Error("the plugin of drivers mounts nothing itself"));
    return {
      canMount: true,
      mounts: none,
      isMountPoint: async (path) => {
        await this.holdAt(path);
        return this.drivers.some(({ mounted }) => mounted.has(path));
      },
      bind: none,
      mount: none,
      unmount: none,
    };
  }
}

/** What is said of a volume of a claim. */
export interface PersistentOptions {
  readonly name?: string;
  readonly csi?: { readonly driver?: string; readonly volumeHandle?: string; readonly [member: string]: unknown };
  readonly spec?: object;
  readonly claim?: PersistentVolumeClaim;
  readonly readOnly?: boolean;
  readonly mode?: NeededVolume["mode"];
  /** The status of its attachment; none where it is left out. */
  readonly isAttached?: object;
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function filesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory() || isOfVolume(entry.parentPath))
      .map((entry) => join(entry.parentPath, entry.name));
  } catch {
    return [];
  }
}

/** Folders that hold volumes stay; what is in them goes. */
const isOfVolume = (parent: string): boolean =>
  /kubernetes\.io~csi(\/|$)/.test(parent) ||
  /plugins\/kubernetes\.io\/csi\/(?!volumeDevices)[^/]+$/.test(parent) ||
  /volumeDevices\/(data|publish)(\/|$)/.test(parent) ||
  /volumeDevices\/staging\/[^/]+$/.test(parent);
