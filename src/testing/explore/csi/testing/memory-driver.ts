/**
 * A storage driver in memory, whose volumes have a content: for exploring sidecars in this process, and for tests.
 *
 * Its volumes survive a kill, like the storage behind a driver. Its other memory is lost.
 *
 * @module
 */
import type { CallContext } from "../../../../csi/calls.ts";
import { DriverError } from "../../../../csi/driver-error.ts";
import type { DriverServices } from "../../../../csi/serve.ts";
import {
  CONTROLLER_CAPABILITY,
  type ControllerCapability,
  NODE_CAPABILITY,
  PLUGIN_SERVICE,
} from "../../../../csi/terms.ts";
import type { DriverCalls, StorageDriver } from "../../../../sidecars/contract.ts";
import type { DriverObject } from "../../../../explore/contract/state.ts";

/** A volume of the storage. */
export interface MemoryVolume {
  readonly id: string;
  readonly name: string;
  bytes: bigint;
  data: string;
  /** The nodes to which it is attached. */
  readonly nodes: Set<string>;
}

/** A snapshot of the storage. */
export interface MemorySnapshot {
  readonly id: string;
  readonly name: string;
  readonly volumeId: string;
  readonly bytes: bigint;
  readonly data: string;
}

/** The storage: it outlives the driver. */
export class MemoryStorage {
  readonly volumes = new Map<string, MemoryVolume>();
  readonly snapshots = new Map<string, MemorySnapshot>();
  #ids = 0;

  /** A new id, which no object had before. */
  id(prefix: string): string {
    return `${prefix}-${++this.#ids}`;
  }

  objects(): readonly DriverObject[] {
    return [
      ...[...this.volumes.values()].map(({ id, name, data }) => ({ kind: "Volume" as const, id, name, data })),
      ...[...this.snapshots.values()].map(({ id, name, data }) => ({ kind: "Snapshot" as const, id, name, data })),
    ];
  }
}

const ABILITIES: readonly ControllerCapability[] = [
  "CREATE_DELETE_VOLUME",
  "PUBLISH_UNPUBLISH_VOLUME",
  "LIST_VOLUMES",
  "GET_CAPACITY",
  "CREATE_DELETE_SNAPSHOT",
  "LIST_SNAPSHOTS",
  "CLONE_VOLUME",
  "EXPAND_VOLUME",
  "MODIFY_VOLUME",
  "SINGLE_NODE_MULTI_WRITER",
];

const GIB = 2n ** 30n;

/** The part of a request that matters here; other services may send less of it than the protocol has. */
interface Asked {
  readonly name?: string;
  readonly volumeId?: string;
  readonly snapshotId?: string;
  readonly sourceVolumeId?: string;
  readonly nodeId?: string;
  readonly capacityRange?: { readonly requiredBytes?: bigint };
  readonly volumeContentSource?: {
    readonly type?: {
      readonly case?: string;
      readonly value?: { readonly snapshotId?: string; readonly volumeId?: string };
    };
  };
}

/** A driver over a storage: the services for `serveDriver`, and for calls inside this process. */
export class MemoryDriver {
  readonly storage: MemoryStorage;
  readonly name: string;

  constructor(name = "memory.csi.example", storage = new MemoryStorage()) {
    this.name = name;
    this.storage = storage;
  }

  /** The driver as sidecars of this process call it. */
  get inProcess(): StorageDriver {
    const { controller } = this.services;
    return { name: this.name, abilities: new Set(ABILITIES), calls: controller as unknown as DriverCalls };
  }

  get services(): DriverServices {
    const handle =
      <T>(work: (request: Asked) => T) =>
      async (request: object, _context: CallContext): Promise<T> =>
        work(request as Asked);
    const rpc = (type: number) => ({ type: { case: "rpc" as const, value: { type } } });
    return {
      identity: {
        probe: handle(() => ({ ready: true })),
        getPluginInfo: handle(() => ({ name: this.name, vendorVersion: "1" })),
        getPluginCapabilities: handle(() => ({
          capabilities: [{ type: { case: "service" as const, value: { type: PLUGIN_SERVICE.CONTROLLER_SERVICE } } }],
        })),
      },
      controller: {
        controllerGetCapabilities: handle(() => ({
          capabilities: ABILITIES.map((name) => rpc(CONTROLLER_CAPABILITY[name])),
        })),
        createVolume: handle((request) => ({ volume: shownVolume(this.createVolume(request), request) })),
        deleteVolume: handle((request) => this.deleteVolume(request)),
        controllerPublishVolume: handle((request) => this.publish(request)),
        controllerUnpublishVolume: handle((request) => this.unpublish(request)),
        controllerExpandVolume: handle((request) => this.expand(request)),
        controllerModifyVolume: handle(({ volumeId }) => (this.volume(volumeId), {})),
        getCapacity: handle(() => ({ availableCapacity: 1000n * GIB })),
        listVolumes: handle(() => ({
          entries: [...this.storage.volumes.values()].map((one) => ({ volume: shownVolume(one, {}) })),
        })),
        createSnapshot: handle((request) => ({ snapshot: shownSnapshot(this.createSnapshot(request)) })),
        deleteSnapshot: handle((request) => this.deleteSnapshot(request)),
        listSnapshots: handle(({ snapshotId }) => ({
          entries: [...this.storage.snapshots.values()]
            .filter(({ id }) => !snapshotId || id === snapshotId)
            .map((one) => ({ snapshot: shownSnapshot(one) })),
        })),
      },
      node: {
        nodeGetInfo: handle(() => ({ nodeId: "node" })),
        nodeGetCapabilities: handle(() => ({ capabilities: [rpc(NODE_CAPABILITY.UNKNOWN)] })),
      },
    };
  }

  /** The volume of a name, made where there is none. */
  protected createVolume(request: Asked): MemoryVolume {
    const { name = "", capacityRange } = request;
    const bytes = capacityRange?.requiredBytes || GIB;
    const known = [...this.storage.volumes.values()].find((one) => one.name === name);
    if (known && known.bytes < bytes) throw new DriverError("AlreadyExists", `volume ${name} is smaller`);
    return known ?? this.makeVolume(request);
  }

  protected makeVolume({ name = "", capacityRange, volumeContentSource }: Asked): MemoryVolume {
    const bytes = capacityRange?.requiredBytes || GIB;
    const { case: from, value } = volumeContentSource?.type ?? {};
    const source =
      from === "snapshot"
        ? this.storage.snapshots.get(value?.snapshotId ?? "")
        : from === "volume"
          ? this.storage.volumes.get(value?.volumeId ?? "")
          : undefined;
    if (from && !source) throw new DriverError("NotFound", `the source of volume ${name} does not exist`);
    const made = { id: this.storage.id("vol"), name, bytes, data: source?.data ?? "", nodes: new Set<string>() };
    this.storage.volumes.set(made.id, made);
    return made;
  }

  protected deleteVolume({ volumeId = "" }: Asked): object {
    const { nodes } = this.storage.volumes.get(volumeId) ?? {};
    if (nodes?.size) throw new DriverError("FailedPrecondition", `volume ${volumeId} is attached`);
    this.storage.volumes.delete(volumeId);
    return {};
  }

  protected publish({ volumeId, nodeId = "" }: Asked): { publishContext: Record<string, string> } {
    const { nodes } = this.volume(volumeId);
    if (nodes.size > 0 && !nodes.has(nodeId)) {
      throw new DriverError("FailedPrecondition", `volume ${volumeId} is attached to ${[...nodes].join(", ")}`);
    }
    nodes.add(nodeId);
    return { publishContext: {} };
  }

  protected unpublish({ volumeId = "", nodeId = "" }: Asked): object {
    const { nodes } = this.storage.volumes.get(volumeId) ?? {};
    if (nodeId === "") nodes?.clear();
    else nodes?.delete(nodeId);
    return {};
  }

  protected expand({ volumeId, capacityRange }: Asked): { capacityBytes: bigint; nodeExpansionRequired: boolean } {
    const volume = this.volume(volumeId);
    const bytes = capacityRange?.requiredBytes ?? 0n;
    if (bytes > volume.bytes) volume.bytes = bytes;
    return { capacityBytes: volume.bytes, nodeExpansionRequired: false };
  }

  protected createSnapshot({ name = "", sourceVolumeId = "" }: Asked): MemorySnapshot {
    const known = [...this.storage.snapshots.values()].find((one) => one.name === name);
    if (known) return known;
    const { bytes, data } = this.volume(sourceVolumeId);
    const made = { id: this.storage.id("snap"), name, volumeId: sourceVolumeId, bytes, data };
    this.storage.snapshots.set(made.id, made);
    return made;
  }

  protected deleteSnapshot({ snapshotId = "" }: Asked): object {
    this.storage.snapshots.delete(snapshotId);
    return {};
  }

  /** @throws DriverError with `NotFound` */
  protected volume(id = ""): MemoryVolume {
    const found = this.storage.volumes.get(id);
    if (!found) throw new DriverError("NotFound", `volume ${id} does not exist`);
    return found;
  }
}

const shownVolume = ({ id, bytes }: MemoryVolume, { volumeContentSource }: Asked) => ({
  volumeId: id,
  capacityBytes: bytes,
  volumeContext: {},
  accessibleTopology: [],
  ...(volumeContentSource ? { contentSource: volumeContentSource as never } : {}),
});

const shownSnapshot = ({ id, volumeId, bytes }: MemorySnapshot) => ({
  snapshotId: id,
  sourceVolumeId: volumeId,
  sizeBytes: bytes,
  creationTime: { seconds: 1_767_225_600n, nanos: 0 },
  readyToUse: true,
});
