/**
 * Snapshots: copies of the data as it is on disk, complete before the call returns. The snapshot of a disk image has what a
 * power cut at that moment would have left.
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
import { type DriverContext, volumeOf } from "./driver-context.ts";

/** The methods for snapshots; none without the feature `snapshots`. */
export function controllerSnapshots(context: DriverContext): Implementation<typeof Controller> {
  const { settings, snapshots, lock } = context;
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
        return { snapshot: snapshotMessage(found ?? (await create(context, id, name, sourceVolumeId))) };
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

async function create(context: DriverContext, id: string, name: string, volumeId: string): Promise<SnapshotRecord> {
  const { backing, volumes, snapshots, sequence, lock, settings } = context;
  return lock.run(volumeId, async () => {
    const { bytes, block } = await volumeOf(context, volumeId);
    const created = settings.clock.now();
    await backing.copy(volumes.directory(volumeId), await snapshots.begin(id), BigInt(bytes));
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
