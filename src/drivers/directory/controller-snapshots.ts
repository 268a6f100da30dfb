/**
 * Snapshots: copies of the data as it is on disk, made before the call answers. Those of images of disks are what a power
 * cut at that moment would have left.
 *
 * @module
 */
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Implementation } from "../../csi/calls.ts";
import { DriverError } from "../../csi/driver-error.ts";
import type { Controller, SnapshotSchema } from "../../csi/generated/csi_pb.js";
import { page } from "./paging.ts";
import { type SnapshotRecord, idOf } from "./records.ts";
import { required, requiredName } from "./requests.ts";
import { type Shop, volumeOf } from "./shop.ts";

/** Methods of the controller for snapshots. */
export function controllerSnapshots(shop: Shop): Implementation<typeof Controller> {
  const { settings, snapshots, lock } = shop;
  if (!settings.features.has("snapshots")) return {};
  return {
    async createSnapshot({ name, sourceVolumeId }) {
      const id = idOf("snap", requiredName(name));
      required(sourceVolumeId, "source_volume_id");
      return lock.run(id, async () => {
        const found = await snapshots.get(id);
        if (found && found.volume !== sourceVolumeId) {
          throw new DriverError("AlreadyExists", `there is a snapshot ${name} of another volume`);
        }
        return { snapshot: snapshotMessage(found ?? (await make(shop, id, name, sourceVolumeId))) };
      });
    },
    async deleteSnapshot({ snapshotId }) {
      await lock.run(required(snapshotId, "snapshot_id"), async () => {
        if (await snapshots.get(snapshotId)) await snapshots.remove(snapshotId);
      });
      return {};
    },
    async listSnapshots(request) {
      const { snapshotId, sourceVolumeId } = request;
      const all = await snapshots.list();
      const chosen = all.filter(
        ({ id, volume }) =>
          (snapshotId === "" || id === snapshotId) && (sourceVolumeId === "" || volume === sourceVolumeId),
      );
      const { items, nextToken } = page(chosen, request);
      return { entries: items.map((item) => ({ snapshot: snapshotMessage(item) })), nextToken };
    },
    async getSnapshot({ snapshotId }) {
      const found = await snapshots.get(required(snapshotId, "snapshot_id"));
      if (!found) throw new DriverError("NotFound", `there is no snapshot ${snapshotId}`);
      return { snapshot: snapshotMessage(found) };
    },
  };
}

async function make(shop: Shop, id: string, name: string, volumeId: string): Promise<SnapshotRecord> {
  const { backing, volumes, snapshots, sequence, lock, settings } = shop;
  return lock.run(volumeId, async () => {
    const { bytes, block } = await volumeOf(shop, volumeId);
    const created = settings.clock.now();
    const place = await snapshots.begin(id);
    await backing.copy(volumes.place(volumeId), place, BigInt(bytes));
    const record = { id, name, sequence: await sequence.next(), volume: volumeId, bytes, block, created };
    await snapshots.put(record);
    return record;
  });
}

const snapshotMessage = ({ id, volume, bytes, created }: SnapshotRecord): MessageInitShape<typeof SnapshotSchema> => ({
  snapshotId: id,
  sourceVolumeId: volume,
  sizeBytes: BigInt(bytes),
  creationTime: { seconds: BigInt(Math.floor(created / 1000)), nanos: (created % 1000) * 1_000_000 },
  readyToUse: true,
});
