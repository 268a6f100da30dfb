/**
 * A driver that a test makes up: its disks are entries of a table, and its calls fail as the test says, before they have done
 * something or after it.
 *
 * @module
 */
import type {
  Ability,
  CreateVolume,
  DriverCalls,
  StorageDriver,
  Texts,
  Topology,
} from "../../src/sidecars/contract.ts";
import { pauseCount } from "../../src/util/activity.ts";

/** A failure that a test requests from a driver. */
export interface Failure {
  readonly code: number;
  /** Whether the work is done all the same. */
  readonly isAfter?: boolean;
  /** How often; for good by default. */
  times?: number;
  /** Whether there is no answer at all. */
  readonly hangs?: boolean;
  /** The message; by default that it was told to fail. */
  readonly says?: string;
}

/** A disk. */
export interface Disk {
  readonly id: string;
  readonly name: string;
  bytes: bigint;
  readonly content: string;
  readonly parameters: Texts;
  attributes: Texts;
  readonly nodes: Set<string>;
}

/** A snapshot of a disk. */
export interface Picture {
  readonly id: string;
  readonly name: string;
  readonly of: string;
  readonly content: string;
  readonly bytes: bigint;
  isReady: boolean;
}

export const DRIVER = "disks.example.com";

const EVERYTHING: readonly Ability[] = [
  "CREATE_DELETE_VOLUME",
  "PUBLISH_UNPUBLISH_VOLUME",
  "GET_CAPACITY",
  "CREATE_DELETE_SNAPSHOT",
  "LIST_SNAPSHOTS",
  "CLONE_VOLUME",
  "EXPAND_VOLUME",
  "MODIFY_VOLUME",
  "SINGLE_NODE_MULTI_WRITER",
  "PLUGIN_VOLUME_ACCESSIBILITY_CONSTRAINTS",
  "NODE_EXPAND_VOLUME",
];

const failure = (code: number, said: string): Error => Object.assign(new Error(said), { code });

/** See the head of this file. */
export class MadeUpDriver implements StorageDriver {
  readonly name: string = DRIVER;
  readonly abilities: Set<Ability>;
  readonly disks = new Map<string, Disk>();
  readonly pictures = new Map<string, Picture>();
  /** Every call with what it was asked, in order. */
  readonly heard: { readonly method: keyof DriverCalls; readonly request: never }[] = [];
  readonly failures = new Map<keyof DriverCalls, Failure>();
  /** Where volumes are put: the first preferred place. */
  placesOf = ({ accessibilityRequirements: wish }: CreateVolume): readonly Topology[] =>
    wish?.preferred.slice(0, 1) ?? [];
  room = 100n * 2n ** 30n;
  needsNode = false;
  isReadyAtOnce = true;
  /** Called before each call is heard. */
  before: (method: keyof DriverCalls) => void = () => {};
  /** Called when the work of a call is done, before it is answered. */
  after: (method: keyof DriverCalls) => void = () => {};
  readonly #hung = new Set<() => void>();
  #ids = 0;

  constructor(abilities: readonly Ability[] = EVERYTHING) {
    this.abilities = new Set(abilities);
  }

  fail(method: keyof DriverCalls, how: Failure | undefined): void {
    if (how) this.failures.set(method, how);
    else this.failures.delete(method);
  }

  asked<M extends keyof DriverCalls>(method: M): Parameters<DriverCalls[M]>[0][] {
    return this.heard.filter((one) => one.method === method).map(({ request }) => request);
  }

  readonly calls: DriverCalls = {
    createVolume: (request, call) => this.#heard("createVolume", request, call, () => this.#create(request)),
    deleteVolume: (request, call) => this.#heard("deleteVolume", request, call, () => this.#delete(request.volumeId)),
    controllerPublishVolume: (request, call) =>
      this.#heard("controllerPublishVolume", request, call, () => {
        this.#disk(request.volumeId).nodes.add(request.nodeId);
        return { publishContext: { device: `of ${request.volumeId}` } };
      }),
    controllerUnpublishVolume: (request, call) =>
      this.#heard("controllerUnpublishVolume", request, call, () => {
        this.disks.get(request.volumeId)?.nodes.delete(request.nodeId);
        return {};
      }),
    controllerExpandVolume: (request, call) =>
      this.#heard("controllerExpandVolume", request, call, () => {
        const disk = this.#disk(request.volumeId);
        const { requiredBytes } = request.capacityRange;
        if (requiredBytes > disk.bytes) disk.bytes = requiredBytes;
        return { capacityBytes: disk.bytes, nodeExpansionRequired: this.needsNode };
      }),
    controllerModifyVolume: (request, call) =>
      this.#heard("controllerModifyVolume", request, call, () => {
        this.#disk(request.volumeId).attributes = request.mutableParameters;
        return {};
      }),
    getCapacity: (request, call) =>
      this.#heard("getCapacity", request, call, () => ({
        availableCapacity: this.room - [...this.disks.values()].reduce((sum, { bytes }) => sum + bytes, 0n),
        maximumVolumeSize: 50n * 2n ** 30n,
      })),
    createSnapshot: (request, call) =>
      this.#heard("createSnapshot", request, call, () => {
        const known = [...this.pictures.values()].find(({ name }) => name === request.name);
        const picture = known ?? this.#take(request.name, request.sourceVolumeId);
        return { snapshot: told(picture) };
      }),
    deleteSnapshot: (request, call) =>
      this.#heard("deleteSnapshot", request, call, () => {
        this.pictures.delete(request.snapshotId);
        return {};
      }),
    listSnapshots: (request, call) =>
      this.#heard("listSnapshots", request, call, () => {
        const picture = this.pictures.get(request.snapshotId);
        return { entries: picture ? [{ snapshot: told(picture) }] : [] };
      }),
  };

  async #heard<T>(
    method: keyof DriverCalls,
    request: unknown,
    { signal }: { readonly signal: AbortSignal },
    work: () => T,
  ): Promise<T> {
    this.before(method);
    this.heard.push({ method, request: request as never });
    await Promise.resolve();
    const how = this.failures.get(method);
    if (!how) {
      const answer = work();
      this.after(method);
      return answer;
    }
    if (how.times !== undefined && --how.times <= 0) this.failures.delete(method);
    if (how.isAfter) work();
    if (how.hangs) return this.#hang(signal);
    throw failure(how.code, how.says ?? `${method} was told to fail`);
  }

  /** Never responds; a caller that waits for that waits for the clock. */
  async #hang(signal: AbortSignal): Promise<never> {
    using _parked = pauseCount();
    const { promise, reject } = Promise.withResolvers<never>();
    const giveUp = (): void => reject(failure(1, "given up"));
    signal.addEventListener("abort", giveUp);
    this.#hung.add(giveUp);
    return await promise;
  }

  /** Ends calls that hang. */
  letGo(): void {
    this.failures.clear();
    for (const giveUp of this.#hung) giveUp();
  }

  #create(request: CreateVolume) {
    const known = [...this.disks.values()].find(({ name }) => name === request.name);
    const disk = known ?? this.#make(request);
    const { volumeContentSource: contentSource } = request;
    return {
      volume: {
        volumeId: disk.id,
        capacityBytes: disk.bytes,
        volumeContext: { content: disk.content },
        accessibleTopology: this.placesOf(request),
        contentSource,
      },
    };
  }

  #make({ name, capacityRange, parameters, mutableParameters, volumeContentSource: source }: CreateVolume): Disk {
    const id = `disk-${++this.#ids}`;
    const from = source?.type;
    const content =
      from?.case === "volume"
        ? this.#disk(from.value.volumeId).content
        : from?.case === "snapshot"
          ? this.#picture(from.value.snapshotId).content
          : `content of ${id}`;
    const attributes = mutableParameters;
    const disk: Disk = {
      id,
      name,
      bytes: capacityRange.requiredBytes,
      content,
      parameters,
      attributes,
      nodes: new Set(),
    };
    this.disks.set(id, disk);
    return disk;
  }

  #delete(id: string): object {
    if (this.disks.get(id)?.nodes.size) throw failure(9, "it is attached");
    this.disks.delete(id);
    return {};
  }

  #take(name: string, of: string): Picture {
    const { content, bytes } = this.#disk(of);
    const picture = { id: `picture-${++this.#ids}`, name, of, content, bytes, isReady: this.isReadyAtOnce };
    this.pictures.set(picture.id, picture);
    return picture;
  }

  #disk(id: string): Disk {
    const disk = this.disks.get(id);
    if (!disk) throw failure(5, `there is no disk ${id}`);
    return disk;
  }

  #picture(id: string): Picture {
    const picture = this.pictures.get(id);
    if (!picture) throw failure(5, `there is no picture ${id}`);
    return picture;
  }
}

const told = ({ id, bytes, isReady }: Picture) => ({
  snapshotId: id,
  sizeBytes: bytes,
  creationTime: { seconds: 1_767_225_600n, nanos: 0 },
  readyToUse: isReady,
});
