/**
 * Making, removing, growing, changing and listing volumes.
 *
 * @module
 */
import { statfs } from "node:fs/promises";
import type { Implementation } from "../../csi/calls.ts";
import { DriverError } from "../../csi/driver-error.ts";
import type { Controller, CreateVolumeRequest } from "../../csi/generated/csi_pb.js";
import { isReserved } from "./context.ts";
import { checkedMutable } from "./mutable.ts";
import { page } from "./paging.ts";
import { type ContentSource, type VolumeRecord, idOf } from "./records.ts";
import { accessOf, accesses, required, requiredName } from "./requests.ts";
import { type Shop, volumeOf } from "./shop.ts";
import { fits, sizeIn } from "./sizes.ts";
import { conditionOf, statusOf, volumeMessage } from "./status.ts";
import { placeFor, serves } from "./topology.ts";

/** Methods of the controller for volumes. */
export function controllerVolumes(shop: Shop): Implementation<typeof Controller> {
  const { settings, backing, volumes, lock } = shop;
  const { features } = settings;
  return {
    async createVolume(request) {
      const id = idOf("vol", requiredName(request.name));
      return lock.run(id, async () => {
        const [{ block }] = accesses(request.volumeCapabilities, backing, settings);
        const record = (await madeAlready(shop, id, request, block)) ?? (await make(shop, id, request, block));
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
      const volume = await volumeOf(shop, volumeId);
      try {
        const [{ block }] = accesses(volumeCapabilities, backing, settings);
        if (block !== volume.block) throw new DriverError("InvalidArgument", ofOtherType(volume));
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
        for (const item of items) entries.push({ volume: volumeMessage(item), status: await statusOf(shop, item) });
        return { entries, nextToken };
      },
    }),
    ...(features.has("get-volume") && {
      async controllerGetVolume({ volumeId }) {
        const volume = await volumeOf(shop, required(volumeId, "volume_id"));
        return { volume: volumeMessage(volume), status: await statusOf(shop, volume) };
      },
    }),
    ...(features.has("capacity") && {
      async getCapacity({ accessibleTopology }) {
        const { topology, central, maxVolumeSize } = settings;
        const isServed = !accessibleTopology || serves(accessibleTopology.segments, topology, central);
        return {
          availableCapacity: isServed ? await available(shop) : 0n,
          minimumVolumeSize: backing.least,
          ...(maxVolumeSize !== undefined && { maximumVolumeSize: maxVolumeSize }),
        };
      },
    }),
    ...(features.has("expand") && {
      controllerExpandVolume: ({ volumeId, capacityRange, volumeCapability }) =>
        lock.run(required(volumeId, "volume_id"), async () => {
          if (!capacityRange) throw new DriverError("InvalidArgument", "expected a capacity range");
          if (volumeCapability) accessOf(volumeCapability, backing, settings);
          const volume = await volumeOf(shop, volumeId);
          const bytes = await grow(shop, volume, sizeIn(capacityRange, boundsOf(shop)));
          if (!fits(bytes, capacityRange)) {
            throw new DriverError("OutOfRange", `the volume has ${bytes} bytes, and volumes do not shrink`);
          }
          return { capacityBytes: bytes, nodeExpansionRequired: features.has("node-expand") };
        }),
    }),
    ...(features.has("modify") && {
      controllerModifyVolume: ({ volumeId, mutableParameters }) =>
        lock.run(required(volumeId, "volume_id"), async () => {
          const volume = await volumeOf(shop, volumeId);
          await volumes.put({ ...volume, mutable: { ...volume.mutable, ...checkedMutable(mutableParameters) } });
          return {};
        }),
    }),
  };
}

const boundsOf = ({ backing, settings }: Shop): { least: bigint; most: bigint | undefined } => ({
  least: backing.least,
  most: settings.maxVolumeSize,
});

const ofOtherType = ({ block }: VolumeRecord): string =>
  block ? "the volume is a device, not a file system" : "the volume is a file system, not a device";

/** The volume of that name, when it is there and is what is asked for. */
async function madeAlready(
  { volumes }: Shop,
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
  throw new DriverError("AlreadyExists", `there is a volume for ${request.name} that is not what is asked for`);
}

async function make(shop: Shop, id: string, request: CreateVolumeRequest, block: boolean): Promise<VolumeRecord> {
  const { settings, backing, volumes, sequence } = shop;
  const bytes = sizeIn(request.capacityRange, boundsOf(shop));
  const topology = placeFor(request.accessibilityRequirements, settings);
  if (Object.keys(request.mutableParameters).length > 0 && !settings.features.has("modify")) {
    throw new DriverError("InvalidArgument", "volumes of this driver have no parameters that can be changed");
  }
  const mutable = checkedMutable(request.mutableParameters);
  const source = sourceOf(request);
  const from = source && (await contentOf(shop, source, bytes, block));
  if (settings.capacity !== undefined && bytes > (await available(shop))) {
    throw new DriverError("ResourceExhausted", `there is no room for ${bytes} bytes`);
  }
  const place = await volumes.begin(id);
  if (from === undefined) await backing.create(place, bytes);
  else await backing.copy(from, place, bytes);
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

/** Where the data of a source lies. Rejects where it is not there, or does not fit. */
async function contentOf(shop: Shop, { kind, id }: ContentSource, bytes: bigint, block: boolean): Promise<string> {
  const { volumes, snapshots, settings } = shop;
  if (!settings.features.has(kind === "snapshot" ? "snapshots" : "clone")) {
    throw new DriverError("InvalidArgument", `volumes of this driver cannot be made of a ${kind}`);
  }
  const records = kind === "snapshot" ? snapshots : volumes;
  const found = await records.get(id);
  if (!found) throw new DriverError("NotFound", `there is no ${kind} ${id}`);
  if (BigInt(found.bytes) > bytes) throw new DriverError("OutOfRange", `the ${kind} needs ${found.bytes} bytes`);
  if (found.block !== block) throw new DriverError("InvalidArgument", `the ${kind} is of the other access type`);
  return records.place(id);
}

/** Makes a volume larger, when it is smaller; its size from then on. */
async function grow(shop: Shop, volume: VolumeRecord, bytes: bigint): Promise<bigint> {
  const { settings, backing, volumes } = shop;
  const old = BigInt(volume.bytes);
  if (bytes <= old) return old;
  if (settings.features.has("offline-expand") && (await conditionOf(shop, volume)).used) {
    throw new DriverError("FailedPrecondition", "the volume is in use, and this driver grows only those that are not");
  }
  if (settings.capacity !== undefined && bytes - old > (await available(shop))) {
    throw new DriverError("ResourceExhausted", `there is no room for ${bytes - old} more bytes`);
  }
  await backing.grow(volumes.place(volume.id), bytes);
  await volumes.put({ ...volume, bytes: String(bytes) });
  return bytes;
}

/** Parameters of the class, without those of sidecars. */
const ownParameters = ({ parameters }: CreateVolumeRequest): Record<string, string> =>
  Object.fromEntries(Object.entries(parameters).filter(([key]) => !isReserved(key)));

function sameEntries(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}

/** Bytes that are left for new volumes. */
async function available({ settings: { capacity, dir }, volumes }: Shop): Promise<bigint> {
  if (capacity === undefined) {
    const { bavail, bsize } = await statfs(dir, { bigint: true });
    return bavail * bsize;
  }
  const taken = (await volumes.list()).reduce((sum, { bytes }) => sum + BigInt(bytes), 0n);
  return taken < capacity ? capacity - taken : 0n;
}
