/**
 * A driver over its socket that knows what it was asked to do, does it to directories, and judges who asks: a volume is staged
 * before it is published, unstaged only when it is published nowhere, and touched only while it is attached.
 *
 * What is mounted is a list of the model, as that of a kernel: it is there whoever comes and goes. Tests have calls fail, before
 * or after the work was done, and have them never answered.
 *
 * @module
 */
import { mkdirSync, rmSync, rmdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type CodeName, DriverError } from "../../src/csi/driver-error.ts";
import { type Registrar, registrationSocket, serveRegistration } from "../../src/csi/registration.ts";
import { type SocketServer, serveDriver } from "../../src/csi/serve.ts";
import { NODE_CAPABILITY, type NodeCapability } from "../../src/csi/terms.ts";
import { systemClock } from "../../src/util/clock.ts";

/** The calls of the node service, by their names. */
export const NODE_METHODS = [
  "NodeStageVolume",
  "NodeUnstageVolume",
  "NodePublishVolume",
  "NodeUnpublishVolume",
  "NodeExpandVolume",
  "NodeGetVolumeStats",
  "NodeGetInfo",
  "NodeGetCapabilities",
] as const;

/** The name of a call of the node service. */
export type NodeMethod = (typeof NODE_METHODS)[number];

/** What is done to a call: it fails before or after the work, or it is never answered. */
export interface Fault {
  readonly when: "before" | "after";
  readonly code: CodeName | "never";
}

/** What requests say, each some of it. */
export interface Asked {
  readonly volumeId: string;
  readonly stagingTargetPath: string;
  readonly targetPath: string;
  readonly volumePath: string;
  readonly readonly: boolean;
  readonly publishContext: Readonly<Record<string, string>>;
  readonly volumeContext: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
  readonly volumeCapability?: {
    readonly accessType: {
      readonly case?: string;
      readonly value?: { readonly mountFlags?: readonly string[]; readonly volumeMountGroup?: string };
    };
  };
  readonly capacityRange?: { readonly requiredBytes: bigint };
}

/** A call as it came. */
export interface Call {
  readonly method: NodeMethod;
  readonly request: Asked;
  /** What it was answered; undefined for success. */
  failed?: CodeName | "never" | undefined;
}

interface Published {
  readonly isBlock: boolean;
}

const ALL: readonly NodeCapability[] = ["STAGE_UNSTAGE_VOLUME", "GET_VOLUME_STATS", "EXPAND_VOLUME"];

/** See the head of this file. */
export class ModelDriver {
  readonly name: string;
  readonly calls: Call[] = [];
  /** Forbidden requests that were sent. */
  readonly broken: string[] = [];
  /** The paths on which something is mounted. */
  readonly mounted = new Set<string>();
  readonly staged = new Map<string, string>();
  readonly published = new Map<string, Map<string, Published>>();
  /** The sizes that volumes have grown to. */
  readonly sizes = new Map<string, bigint>();
  capabilities: readonly NodeCapability[] = ALL;
  /** The volumes that are attached; all of them where it is undefined. */
  attached: Set<string> | undefined;
  info: object = { nodeId: "node-of-the-driver" };
  stats: object = { usage: [] };
  fault: (method: NodeMethod, request: Asked) => Fault | undefined = () => undefined;
  /** What happened to the registration, each time. */
  readonly answers: { readonly registered: boolean; readonly error: string }[] = [];
  readonly #never = Promise.withResolvers<void>();
  #server: SocketServer | undefined;
  #registrar: Registrar | undefined;
  /** How many calls are never answered. */
  hanging = 0;

  constructor(name = "d.example.com") {
    this.name = name;
  }

  /** Listens at a socket of its own. */
  async serve(socket: string): Promise<void> {
    mkdirSync(dirname(socket), { recursive: true });
    this.#server = await serveDriver(socket, this.#services(), { clock: systemClock, graceMs: 1 });
  }

  /** Puts a registrar's socket where the agent looks. */
  async register(
    root: string,
    more: { readonly versions?: readonly string[]; readonly file?: string } = {},
  ): Promise<void> {
    const directory = join(root, "plugins_registry");
    mkdirSync(directory, { recursive: true });
    const socket = more.file === undefined ? registrationSocket(directory, this.name) : join(directory, more.file);
    mkdirSync(dirname(socket), { recursive: true });
    const info = { name: this.name, endpoint: this.#server!.socket, versions: more.versions };
    const onStatus = (status: { readonly registered: boolean; readonly error: string }): void =>
      void this.answers.push(status);
    this.#registrar = await serveRegistration(socket, info, { clock: systemClock, onStatus });
  }

  /** Takes the registrar's socket away. */
  async unregister(): Promise<void> {
    await this.#registrar?.close();
    this.#registrar = undefined;
  }

  async close(): Promise<void> {
    this.#never.resolve();
    await this.unregister();
    await this.#server?.close();
  }

  /** The calls of a method, or of all but those that only ask. */
  of(method?: NodeMethod): readonly Call[] {
    return this.calls.filter((call) => (method ? call.method === method : !ASKING.includes(call.method)));
  }

  /** The names of the calls that do something, in order. */
  get done(): readonly string[] {
    return this.of().map(({ method, failed }) => (failed === undefined ? method : `${method} ${failed}`));
  }

  #services() {
    const answer =
      <T>(method: NodeMethod, work: (request: Asked) => T) =>
      async (request: object): Promise<T> =>
        this.#answer(method, request as Asked, work);
    return {
      identity: { getPluginInfo: async () => ({ name: this.name, vendorVersion: "1" }) },
      node: {
        nodeStageVolume: answer("NodeStageVolume", (request) => this.#stage(request)),
        nodeUnstageVolume: answer("NodeUnstageVolume", (request) => this.#unstage(request)),
        nodePublishVolume: answer("NodePublishVolume", (request) => this.#publish(request)),
        nodeUnpublishVolume: answer("NodeUnpublishVolume", (request) => this.#unpublish(request)),
        nodeExpandVolume: answer("NodeExpandVolume", (request) => this.#expand(request)),
        nodeGetVolumeStats: answer("NodeGetVolumeStats", () => this.stats),
        nodeGetInfo: answer("NodeGetInfo", () => this.info),
        nodeGetCapabilities: answer("NodeGetCapabilities", () => ({
          capabilities: this.capabilities.map((name) => ({
            type: { case: "rpc" as const, value: { type: NODE_CAPABILITY[name] } },
          })),
        })),
      },
    };
  }

  async #answer<T>(method: NodeMethod, request: Asked, work: (request: Asked) => T): Promise<T> {
    const call: Call = { method, request };
    this.calls.push(call);
    const fault = this.fault(method, request);
    const fail = async (): Promise<void> => {
      call.failed = fault!.code;
      if (fault!.code !== "never") throw new DriverError(fault!.code, `injected ${fault!.when} the work`);
      this.hanging++;
      await this.#never.promise;
      throw new DriverError("Unavailable", "the driver ends");
    };
    if (fault?.when === "before") await fail();
    try {
      const answer = work(request);
      if (fault) await fail();
      return answer;
    } catch (error) {
      if (error instanceof DriverError) call.failed = error.code;
      throw error;
    }
  }

  #stage({ volumeId, stagingTargetPath: path }: Asked): object {
    if (!isDirectory(path)) this.#breaks(`stages ${volumeId} at ${path}, which is no directory`);
    this.#mustBeAttached(volumeId);
    const before = this.staged.get(volumeId);
    if (before !== undefined && before !== path) this.#breaks(`stages ${volumeId} at a second place`);
    this.staged.set(volumeId, path);
    this.mounted.add(path);
    return {};
  }

  #unstage({ volumeId, stagingTargetPath: path }: Asked): object {
    if ((this.published.get(volumeId)?.size ?? 0) > 0) this.#breaks(`unstages ${volumeId}, which is published`);
    this.staged.delete(volumeId);
    this.mounted.delete(path);
    return {};
  }

  #publish({ volumeId, stagingTargetPath, targetPath, volumeCapability }: Asked): object {
    if (stagingTargetPath !== "" && this.staged.get(volumeId) !== stagingTargetPath) {
      this.#breaks(`publishes ${volumeId}, which is not staged at ${stagingTargetPath}`);
    }
    if (!isDirectory(dirname(targetPath))) this.#breaks(`publishes ${volumeId} in no directory: ${targetPath}`);
    if (!volumeId.startsWith("csi-")) this.#mustBeAttached(volumeId);
    const isBlock = volumeCapability?.accessType.case === "block";
    const targets = this.published.get(volumeId) ?? new Map<string, Published>();
    if (!targets.has(targetPath)) {
      if (isBlock) writeFileSync(targetPath, "");
      else mkdirSync(targetPath, { recursive: true });
    }
    this.published.set(volumeId, targets.set(targetPath, { isBlock }));
    this.mounted.add(targetPath);
    return {};
  }

  #unpublish({ volumeId, targetPath }: Asked): object {
    const targets = this.published.get(volumeId);
    const found = targets?.get(targetPath);
    this.mounted.delete(targetPath);
    if (!targets || !found) return {};
    if (found.isBlock) rmSync(targetPath, { force: true });
    else if (isDirectory(targetPath)) rmdirSync(targetPath);
    targets.delete(targetPath);
    if (targets.size === 0) this.published.delete(volumeId);
    return {};
  }

  #expand({ volumeId, volumePath, capacityRange }: Asked): object {
    if (!this.published.get(volumeId)?.has(volumePath)) this.#breaks(`expands ${volumeId} where it is not`);
    const capacityBytes = capacityRange?.requiredBytes ?? 0n;
    this.sizes.set(volumeId, capacityBytes);
    return { capacityBytes };
  }

  #mustBeAttached(volumeId: string): void {
    if (this.attached?.has(volumeId) === false) this.#breaks(`uses ${volumeId}, which is not attached`);
  }

  #breaks(what: string): void {
    this.broken.push(what);
  }
}

const ASKING: readonly string[] = ["NodeGetInfo", "NodeGetCapabilities", "NodeGetVolumeStats"];

const isDirectory = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
