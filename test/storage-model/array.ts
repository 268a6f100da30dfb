/**
 * A storage model that knows what is attached and mounted, does what a driver requests, and checks each request.
 *
 * Disks and snapshots are entries of a table. Every attachment of a disk has a number of its own, so a mount that was made of one that
 * is over shows what was. What is mounted on a node is a list, as that of a kernel: it stays when an agent is killed, and goes when the
 * machine is switched off.
 *
 * @module
 */
import { mkdirSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { type CodeName, CODES, DriverError } from "../../src/csi/driver-error.ts";
import type { DriverServices } from "../../src/csi/serve.ts";
import { ACCESS_MODE, NODE_CAPABILITY } from "../../src/csi/terms.ts";
import type { Ability, CreateVolume, DriverCalls, StorageDriver, Texts } from "../../src/sidecars/contract.ts";
import { pauseCount } from "../../src/util/activity.ts";

export const DRIVER = "disks.example.com";
/** The audience of the tokens that the driver asks for. */
export const AUDIENCE = "disks";
const TOKENS = "csi.storage.k8s.io/serviceAccount.tokens";

const CONTROLLER_METHODS = [
  "createVolume",
  "deleteVolume",
  "controllerPublishVolume",
  "controllerUnpublishVolume",
  "createSnapshot",
  "deleteSnapshot",
] as const;

const NODE_METHODS = ["nodeStageVolume", "nodeUnstageVolume", "nodePublishVolume", "nodeUnpublishVolume"] as const;

/** The calls that may fail. */
export const METHODS = [...CONTROLLER_METHODS, ...NODE_METHODS] as const;
type Method = (typeof METHODS)[number];

/** The fault of a call: it fails before or after the work, never gets a response, or kills its caller. */
export interface CallFault {
  readonly when: "before" | "after";
  readonly how: CodeName | "never" | "crash";
}

/** A disk; nodes have it with the number of their attachment. */
export interface Disk {
  readonly id: string;
  readonly name: string;
  readonly bytes: bigint;
  readonly content: string;
  readonly nodes: Map<string, number>;
}

interface Picture {
  readonly id: string;
  readonly name: string;
  readonly content: string;
  readonly bytes: bigint;
}

/** What is mounted somewhere: a disk by one of its attachments. */
export interface Mount {
  readonly disk: string;
  readonly attachment: number;
}

/** What is mounted on a node, by paths. */
export interface Kernel {
  readonly staged: Map<string, Mount>;
  readonly published: Map<string, Mount>;
}

/** Who knows what objects say: each answers why a call must not be made, if it must not. */
export interface Judge {
  mayDelete(disk: string): Promise<string | undefined>;
  mayDetach(disk: string, node: string): Promise<string | undefined>;
  mayDrop(picture: string): Promise<string | undefined>;
  /** The time of day, in ms since the epoch. */
  now(): number;
  /** Kills the caller: `sidecars`, or the agent of a node. */
  kill(who: string): void;
}

const ABILITIES: readonly Ability[] = [
  "CREATE_DELETE_VOLUME",
  "PUBLISH_UNPUBLISH_VOLUME",
  "CREATE_DELETE_SNAPSHOT",
  "SINGLE_NODE_MULTI_WRITER",
];

/** Asked of one node at a time. */
const FOR_MANY: ReadonlySet<number> = new Set([
  ACCESS_MODE.MULTI_NODE_MULTI_WRITER,
  ACCESS_MODE.MULTI_NODE_READER_ONLY,
]);

/** How a driver names a node. */
export const nodeIdOf = (node: string): string => `id-of-${node}`;
const nodeOf = (nodeId: string): string => nodeId.slice("id-of-".length);

/** See the head of this file. */
export class StorageArray implements StorageDriver {
  readonly name: string = DRIVER;
  readonly abilities: ReadonlySet<Ability> = new Set(ABILITIES);
  readonly disks = new Map<string, Disk>();
  readonly pictures = new Map<string, Picture>();
  readonly kernels = new Map<string, Kernel>();
  /** What must never be, and was. */
  readonly broken: string[] = [];
  /** How many calls of nodes are never answered. */
  hanging = 0;
  /** How many calls were made. */
  heard = 0;
  /** How many faults calls have had. */
  failed = 0;
  readonly #judge: Judge;
  readonly #faults = new Map<Method, CallFault>();
  readonly #hung = new Set<() => void>();
  #numbers = 0;

  constructor(judge: Judge) {
    this.#judge = judge;
  }

  /** The next call of a method fails. */
  fail(method: Method, fault: CallFault): void {
    this.#faults.set(method, fault);
  }

  /** Calls fail no more, and those that hang end. */
  heal(): void {
    this.#faults.clear();
    for (const giveUp of this.#hung) giveUp();
  }

  kernel(node: string): Kernel {
    let kernel = this.kernels.get(node);
    if (!kernel) this.kernels.set(node, (kernel = { staged: new Map(), published: new Map() }));
    return kernel;
  }

  /** A machine is switched off: nothing is mounted on it any more. */
  switchOff(node: string): void {
    this.kernel(node).staged.clear();
    this.kernel(node).published.clear();
  }

  /** Whether a mount shows the disk as it is attached now. */
  isLive({ disk, attachment }: Mount, node: string): boolean {
    return this.disks.get(disk)?.nodes.get(node) === attachment;
  }

  /** Where a disk is mounted on a node by its attachment of now. */
  liveMounts(disk: string, node: string): readonly string[] {
    const { staged, published } = this.kernel(node);
    const all = [...staged, ...published].filter(([, mount]) => mount.disk === disk && this.isLive(mount, node));
    return all.map(([path]) => path);
  }

  readonly calls: DriverCalls = {
    createVolume: (request, call) =>
      this.#controller("createVolume", call.signal, async () => ({ volume: this.#create(request) })),
    deleteVolume: ({ volumeId }, call) =>
      this.#controller("deleteVolume", call.signal, async () => {
        this.#mustNot(await this.#judge.mayDelete(volumeId));
        this.disks.delete(volumeId);
        return {};
      }),
    controllerPublishVolume: ({ volumeId, nodeId, volumeCapability }, call) =>
      this.#controller("controllerPublishVolume", call.signal, async () =>
        this.#attach(volumeId, nodeOf(nodeId), FOR_MANY.has(volumeCapability.accessMode.mode)),
      ),
    controllerUnpublishVolume: ({ volumeId, nodeId }, call) =>
      this.#controller("controllerUnpublishVolume", call.signal, async () => {
        this.#mustNot(await this.#judge.mayDetach(volumeId, nodeOf(nodeId)));
        this.disks.get(volumeId)?.nodes.delete(nodeOf(nodeId));
        return {};
      }),
    createSnapshot: ({ name, sourceVolumeId }, call) =>
      this.#controller("createSnapshot", call.signal, async () => ({ snapshot: this.#take(name, sourceVolumeId) })),
    deleteSnapshot: ({ snapshotId }, call) =>
      this.#controller("deleteSnapshot", call.signal, async () => {
        this.#mustNot(await this.#judge.mayDrop(snapshotId));
        this.pictures.delete(snapshotId);
        return {};
      }),
    controllerExpandVolume: () => refuse(),
    controllerModifyVolume: () => refuse(),
    getCapacity: () => refuse(),
    listSnapshots: () => refuse(),
  };

  /** What the driver serves on a node. */
  services(node: string): DriverServices {
    const on = <R extends object>(method: (typeof NODE_METHODS)[number], work: (request: R) => void) => {
      return async (request: object, { signal }: { readonly signal: AbortSignal }) =>
        this.#node(node, method, signal, () => work(request as R));
    };
    const capabilities = [{ type: { case: "rpc" as const, value: { type: NODE_CAPABILITY.STAGE_UNSTAGE_VOLUME } } }];
    return {
      identity: { getPluginInfo: async () => ({ name: DRIVER, vendorVersion: "1" }) },
      node: {
        nodeGetInfo: async () => ({ nodeId: nodeIdOf(node) }),
        nodeGetCapabilities: async () => ({ capabilities }),
        nodeStageVolume: on<Asked>("nodeStageVolume", (request) => this.#stage(node, request)),
        nodeUnstageVolume: on<Asked>("nodeUnstageVolume", (request) => this.#unstage(node, request)),
        nodePublishVolume: on<Asked>("nodePublishVolume", (request) => this.#publish(node, request)),
        nodeUnpublishVolume: on<Asked>("nodeUnpublishVolume", (request) => this.#unpublish(node, request)),
      },
    };
  }

  async #controller<T>(method: Method, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const fault = this.#next(method);
    if (fault?.when !== "before") {
      const answer = await work();
      if (!fault) return answer;
    }
    if (fault.how === "crash") this.#judge.kill("sidecars");
    if (fault.how === "crash" || fault.how === "never") {
      using _parked = pauseCount();
      return await this.#never(signal);
    }
    throw Object.assign(new Error(`${method} fails ${fault.when} the work`), { code: CODES[fault.how] });
  }

  async #node(node: string, method: Method, signal: AbortSignal, work: () => void): Promise<object> {
    const fault = this.#next(method);
    if (fault?.when !== "before") work();
    if (!fault) return {};
    if (fault.how === "crash") this.#judge.kill(node);
    if (fault.how === "crash" || fault.how === "never") {
      this.hanging++;
      return this.#never(signal).finally(() => this.hanging--);
    }
    throw new DriverError(fault.how, `${method} fails ${fault.when} the work`);
  }

  #next(method: Method): CallFault | undefined {
    this.heard++;
    const fault = this.#faults.get(method);
    this.#faults.delete(method);
    if (fault) this.failed++;
    return fault;
  }

  async #never(signal: AbortSignal): Promise<never> {
    const { promise, reject } = Promise.withResolvers<never>();
    const giveUp = (): void => reject(new DriverError("Canceled", "nobody waits for the answer"));
    this.#hung.add(giveUp);
    signal.addEventListener("abort", giveUp);
    if (signal.aborted) giveUp();
    return promise.finally(() => this.#hung.delete(giveUp));
  }

  #create({ name, capacityRange, volumeContentSource: source }: CreateVolume) {
    const known = [...this.disks.values()].find((disk) => disk.name === name);
    const disk = known ?? this.#make(name, capacityRange.requiredBytes, source?.type);
    return {
      volumeId: disk.id,
      capacityBytes: disk.bytes,
      volumeContext: { content: disk.content },
      accessibleTopology: [],
      contentSource: source,
    };
  }

  #make(name: string, bytes: bigint, from?: NonNullable<CreateVolume["volumeContentSource"]>["type"]): Disk {
    const id = `disk-${++this.#numbers}`;
    const content =
      from?.case === "snapshot"
        ? this.#picture(from.value.snapshotId).content
        : from?.case === "volume"
          ? this.#disk(from.value.volumeId).content
          : `of ${id}`;
    const disk = { id, name, bytes, content, nodes: new Map<string, number>() };
    this.disks.set(id, disk);
    return disk;
  }

  #attach(id: string, node: string, isForMany: boolean): { readonly publishContext: Texts } {
    const { nodes } = this.#disk(id);
    const other = [...nodes.keys()].find((one) => one !== node);
    if (other !== undefined && !isForMany) this.#mustNot(`${id} is attached to ${node} while ${other} has it`);
    const attachment = nodes.get(node) ?? ++this.#numbers;
    nodes.set(node, attachment);
    return { publishContext: { attachment: String(attachment) } };
  }

  #take(name: string, of: string) {
    const known = [...this.pictures.values()].find((picture) => picture.name === name);
    const { content, bytes } = known ?? this.#disk(of);
    const picture = known ?? { id: `picture-${++this.#numbers}`, name, content, bytes };
    this.pictures.set(picture.id, picture);
    const creationTime = { seconds: BigInt(Math.floor(this.#judge.now() / 1000)), nanos: 0 };
    return { snapshotId: picture.id, sizeBytes: bytes, creationTime, readyToUse: true };
  }

  #stage(node: string, { volumeId, stagingTargetPath: path, publishContext }: Asked): void {
    const attachment = this.disks.get(volumeId)?.nodes.get(node);
    if (attachment === undefined) this.#mustNot(`${volumeId} is staged on ${node}, where it is not attached`);
    if (publishContext["attachment"] !== String(attachment)) {
      this.#mustNot(`${volumeId} is staged on ${node} by what was said of an attachment that is over`);
    }
    if (!isDirectory(path)) this.#mustNot(`${volumeId} is staged at ${path}, which is no directory`);
    const { staged } = this.kernel(node);
    // As drivers do: what is mounted there already stays.
    if (!staged.has(path)) staged.set(path, { disk: volumeId, attachment: attachment ?? 0 });
  }

  #unstage(node: string, { volumeId, stagingTargetPath: path }: Asked): void {
    const { staged, published } = this.kernel(node);
    const user = [...published].find(([, mount]) => mount.disk === volumeId);
    if (user) this.#mustNot(`${volumeId} is unstaged on ${node} while it is published at ${user[0]}`);
    staged.delete(path);
  }

  #publish(node: string, { volumeId, stagingTargetPath, targetPath, volumeContext }: Asked): void {
    const { staged, published } = this.kernel(node);
    const stage = staged.get(stagingTargetPath);
    if (stage?.disk !== volumeId) this.#mustNot(`${volumeId} is published on ${node}, where it is not staged`);
    else if (!this.isLive(stage, node)) {
      this.#mustNot(`${volumeId} is published on ${node} from where it was staged for an attachment that is over`);
    }
    this.#judgeTokens(volumeContext[TOKENS], targetPath);
    if (!isDirectory(dirname(targetPath))) this.#mustNot(`${volumeId} is published in no directory: ${targetPath}`);
    mkdirSync(targetPath, { recursive: true });
    if (stage && !published.has(targetPath)) published.set(targetPath, stage);
  }

  /** What a driver is given in the name of a Pod is good, and of that Pod. */
  #judgeTokens(text: string | undefined, targetPath: string): void {
    const tokens = JSON.parse(text ?? "{}") as Readonly<Record<string, { readonly token: string }>>;
    const { token } = tokens[AUDIENCE] ?? {};
    if (token === undefined) return this.#mustNot(`a volume is published without a token at ${targetPath}`);
    const { ends } = JSON.parse(token) as { readonly ends: number };
    const over = this.#judge.now() - ends;
    if (over >= 0) this.#mustNot(`a token is used ${over} ms after its end at ${targetPath}`);
    const [, uid = ""] = /\/pods\/([^/]+)\//.exec(targetPath) ?? [];
    if (!token.includes(uid)) this.#mustNot(`a token of another Pod is used at ${targetPath}`);
  }

  #unpublish(node: string, { targetPath }: Asked): void {
    this.kernel(node).published.delete(targetPath);
    if (isDirectory(targetPath)) rmSync(targetPath, { recursive: true });
  }

  #disk(id: string): Disk {
    const disk = this.disks.get(id);
    if (!disk) throw Object.assign(new Error(`there is no disk ${id}`), { code: CODES.NotFound });
    return disk;
  }

  #picture(id: string): Picture {
    const picture = this.pictures.get(id);
    if (!picture) throw Object.assign(new Error(`there is no snapshot ${id}`), { code: CODES.NotFound });
    return picture;
  }

  #mustNot(what: string | undefined): void {
    if (what !== undefined) this.broken.push(what);
  }
}

/** What requests of a node say, each some of it. */
interface Asked {
  readonly volumeId: string;
  readonly stagingTargetPath: string;
  readonly targetPath: string;
  readonly publishContext: Texts;
  readonly volumeContext: Texts;
}

const refuse = (): Promise<never> => Promise.reject(new DriverError("Unimplemented", "nobody asks for that"));

const isDirectory = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
