/**
 * Creates, deletes, expands, modifies and lists volumes.
 *
 * @module
 */
import { statfs } from "node:fs/promises";
import type { Implementation } from "../../csi/calls.ts";
import { DriverError } from "../../csi/driver-error.ts";
import type { Controller, CreateVolumeRequest } from "../../csi/generated/csi_pb.js";
import { type DriverContext, volumeOf } from "./driver-context.ts";
import { checkedMutable } from "./mutable-parameters.ts";
import { page } from "./paging.ts";
import { isReserved } from "./pod-context.ts";
import { type ContentSource, type VolumeRecord, idOf } from "./records.ts";
import { accessOf, accesses, required, requiredName } from "./requests.ts";
import { fits, sizeIn } from "./sizes.ts";
import { isInUse, statusOf, volumeMessage } from "./status.ts";
import { isServed, topologyFor } from "./topology.ts";

/** The methods for volumes that the features allow. */
export function controllerVolumes(context: DriverContext): Implementation<typeof Controller> {
  const { settings, backing, volumes, lock } = context;
  const { features } = settings;
  return {
    async createVolume(request) {
      const id = idOf("vol", requiredName(request.name));
      return lock.run(id, async () => {
        const [{ block }] = accesses(request.volumeCapabilities, backing, settings);
        const record = (await existing(context, id, request, block)) ?? (await create(context, id, request, block));
        return { volume: volumeMessage(record) };
      });
    },
    async deleteVolume({ volumeId }) {
      return lock.run(required(volumeId, "volume_id"), async () => {
        const volume = await volumes.get(volumeId);
        if (!volume) return {};
        const nodes = Object.keys(volume.attached);
        if (nodes.length > 0) {
          throw new DriverError("FailedPrecondition", `the volume is attached to ${nodes.join(", ")}`);
        }
        await volumes.remove(volumeId);
        return {};
      });
    },
    async validateVolumeCapabilities(request) {
      const { volumeId, volumeContext, volumeCapabilities, parameters, mutableParameters } = request;
      required(volumeId, "volume_id");
      if (volumeCapabilities.length === 0) throw new DriverError("InvalidArgument", "expected volume capabilities");
      const volume = await volumeOf(context, volumeId);
      try {
        const [{ block }] = accesses(volumeCapabilities, backing, settings);
        if (block !== volume.block) throw new DriverError("InvalidArgument", otherAccessType(volume));
      } catch (error) {
        if (error instanceof DriverError) return { message: error.reason };
        throw error;
      }
      return { confirmed: { volumeContext, volumeCapabilities, parameters, mutableParameters } };
    },
    ...(features.has("list") && {
      async listVolumes(request) {
        const all = (await volumes.list()).filter(({ ephemeral }) => !ephemeral);
        const { items, nextToken } = page(all, request);
        const entries = [];
        for (const item of items) entries.push({ volume: volumeMessage(item), status: await statusOf(context, item) });
        return { entries, nextToken };
      },
    }),
    ...(features.has("get-volume") && {
      async controllerGetVolume({ volumeId }) {
        const volume = await volumeOf(context, required(volumeId, "volume_id"));
        return { volume: volumeMessage(volume), status: await statusOf(context, volume) };
      },
    }),
    ...(features.has("capacity") && {
      async getCapacity({ accessibleTopology }) {
        const { topology, central, maxVolumeSize } = settings;
        const canCreate = !accessibleTopology || isServed(accessibleTopology.segments, topology, central);
        return {
          availableCapacity: canCreate ? await available(context) : 0n,
          minimumVolumeSize: backing.minBytes,
          ...(maxVolumeSize !== undefined && { maximumVolumeSize: maxVolumeSize }),
        };
      },
    }),
    ...(features.has("expand") && {
      controllerExpandVolume: ({ volumeId, capacityRange, volumeCapability }) =>
        lock.run(required(volumeId, "volume_id"), async () => {
          if (!capacityRange) throw new DriverError("InvalidArgument", "expected a capacity range");
          if (volumeCapability) accessOf(volumeCapability, backing, settings);
          const volume = await volumeOf(context, volumeId);
          const bytes = await grow(context, volume, sizeIn(capacityRange, context));
          if (!fits(bytes, capacityRange)) {
            throw new DriverError("OutOfRange", `the volume has ${bytes} bytes, and volumes do not shrink`);
          }
          return { capacityBytes: bytes, nodeExpansionRequired: features.has("node-expand") };
        }),
    }),
    ...(features.has("modify") && {
      controllerModifyVolume: ({ volumeId, mutableParameters }) =>
        lock.run(required(volumeId, "volume_id"), async () => {
          const volume = await volumeOf(context, volumeId);
          await volumes.put({ ...volume, mutable: { ...volume.mutable, ...checkedMutable(mutableParameters) } });
          return {};
        }),
    }),
  };
}

const otherAccessType = ({ block }: VolumeRecord): string =>
  block ? "the volume is a block device, not a file system" : "the volume is a file system, not a block device";

/** The volume of the same name. Throws `AlreadyExists` where it differs from the request. */
async function existing(
  { volumes }: DriverContext,
  id: string,
  request: CreateVolumeRequest,
  block: boolean,
): Promise<VolumeRecord | undefined> {
  const volume = await volumes.get(id);
  if (!volume) return undefined;
  const source = sourceOf(request);
  const isTheSame =
    fits(BigInt(volume.bytes), request.capacityRange) &&
    volume.block === block &&
    volume.source?.kind === source?.kind &&
    volume.source?.id === source?.id &&
    sameEntries(volume.parameters, ownParameters(request));
  if (isTheSame) return volume;
  throw new DriverError("AlreadyExists", `there is a volume for ${request.name} that differs from the request`);
}

async function create(
  context: DriverContext,
  id: string,
  request: CreateVolumeRequest,
  block: boolean,
): Promise<VolumeRecord> {
  const { settings, backing, volumes, sequence } = context;
  const bytes = sizeIn(request.capacityRange, context);
  const topology = topologyFor(request.accessibilityRequirements, settings);
  if (Object.keys(request.mutableParameters).length > 0 && !settings.features.has("modify")) {
    throw new DriverError("InvalidArgument", "volumes of this driver have no mutable parameters");
  }
  const mutable = checkedMutable(request.mutableParameters);
  const source = sourceOf(request);
  const from = source && (await contentOf(context, source, bytes, block));
  await checkCapacity(context, bytes);
  const directory = await volumes.begin(id);
  if (from === undefined) await backing.create(directory, bytes);
  else await backing.copy(from, directory, bytes);
  const record: VolumeRecord = {
    id,
    name: request.name,
    sequence: await sequence.next(),
    bytes: String(bytes),
    block,
    parameters: ownParameters(request),
    mutable,
    source,
    topology,
    attached: {},
    ephemeral: false,
  };
  await volumes.put(record);
  return record;
}

function sourceOf({ volumeContentSource }: CreateVolumeRequest): ContentSource | undefined {
  const { case: kind, value } = volumeContentSource?.type ?? { case: undefined };
  if (kind === "snapshot") return { kind, id: required(value.snapshotId, "snapshot_id") };
  if (kind === "volume") return { kind, id: required(value.volumeId, "volume_id") };
  if (volumeContentSource) throw new DriverError("InvalidArgument", "expected a snapshot or a volume as source");
  return undefined;
}

/** The directory with the data of a source. Throws where it does not exist, or does not fit. */
async function contentOf(
  context: DriverContext,
  { kind, id }: ContentSource,
  bytes: bigint,
  block: boolean,
): Promise<string> {
  const { volumes, snapshots, settings } = context;
  if (!settings.features.has(kind === "snapshot" ? "snapshots" : "clone")) {
    throw new DriverError("InvalidArgument", `this driver cannot create volumes from a ${kind}`);
  }
  const records = kind === "snapshot" ? snapshots : volumes;
  const found = await records.get(id);
  if (!found) throw new DriverError("NotFound", `there is no ${kind} ${id}`);
  if (BigInt(found.bytes) > bytes) throw new DriverError("OutOfRange", `the ${kind} has ${found.bytes} bytes`);
  if (found.block !== block) throw new DriverError("InvalidArgument", `the ${kind} has the other access type`);
  return records.directory(id);
}

/** Grows a volume to a size unless it is larger already; returns its size. */
async function grow(context: DriverContext, volume: VolumeRecord, bytes: bigint): Promise<bigint> {
  const { settings, backing, volumes } = context;
  const old = BigInt(volume.bytes);
  if (bytes <= old) return old;
  if (settings.features.has("offline-expand") && (await isInUse(context, volume))) {
    throw new DriverError("FailedPrecondition", "the volume is in use, and this driver expands only unused volumes");
  }
  await checkCapacity(context, bytes - old);
  await backing.grow(volumes.directory(volume.id), bytes);
  await volumes.put({ ...volume, bytes: String(bytes) });
  return bytes;
}

async function checkCapacity(context: DriverContext, bytes: bigint): Promise<void> {
  if (context.settings.capacity === undefined || bytes <= (await available(context))) return;
  throw new DriverError("ResourceExhausted", `there is not enough capacity for ${bytes} more bytes`);
}

/** The parameters of the class without those of sidecars. */
const ownParameters = ({ parameters }: CreateVolumeRequest): Record<string, string> =>
  Object.fromEntries(Object.entries(parameters).filter(([key]) => !isReserved(key)));

function sameEntries(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}

/** The bytes for new volumes. */
async function available({ settings: { capacity, dir }, volumes }: DriverContext): Promise<bigint> {
  if (capacity === undefined) {
    const { bavail, bsize } = await statfs(dir, { bigint: true });
    return bavail * bsize;
  }
  const used = (await volumes.list()).reduce((sum, { bytes }) => sum + BigInt(bytes), 0n);
  return used < capacity ? capacity - used : 0n;
}
