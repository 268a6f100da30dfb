/**
 * Attaching volumes to nodes. Nothing has to be done for that on one machine; it is kept who has what, and asked for when
 * a volume is mounted, so that the order of things can be seen.
 *
 * @module
 */
import type { Implementation } from "../../csi/calls.ts";
import { DriverError } from "../../csi/driver-error.ts";
import type { Controller } from "../../csi/generated/csi_pb.js";
import { type Segments, type VolumeRecord, readJson } from "./records.ts";
import { type Access, accessOf, isForSeveralNodes, required } from "./requests.ts";
import { type Shop, nodeFile, volumeOf } from "./shop.ts";
import { reaches } from "./topology.ts";

/** The entry of the context of a publication that says which node it is for. */
export const ATTACHED_TO = "attached-to";

/** Methods of the controller for nodes. */
export function controllerPublish(shop: Shop): Implementation<typeof Controller> {
  const { settings, backing, volumes, lock } = shop;
  if (!settings.features.has("attach")) return {};
  return {
    controllerPublishVolume: ({ volumeId, nodeId, volumeCapability, readonly }) =>
      lock.run(required(volumeId, "volume_id"), async () => {
        required(nodeId, "node_id");
        const access = accessOf(volumeCapability, backing, settings);
        const volume = await volumeOf(shop, volumeId);
        await checkNode(shop, volume, nodeId);
        if (!isAttachedAs(volume, nodeId, access, readonly)) {
          checkOthers(volume, nodeId, access);
          await checkCount(shop, nodeId);
          const attached = { ...volume.attached, [nodeId]: { readOnly: readonly, mode: access.mode } };
          await volumes.put({ ...volume, attached });
        }
        return { publishContext: { [ATTACHED_TO]: nodeId } };
      }),
    controllerUnpublishVolume: ({ volumeId, nodeId }) =>
      lock.run(required(volumeId, "volume_id"), async () => {
        const volume = await volumes.get(volumeId);
        if (!volume) return {};
        const { [nodeId]: gone, ...others } = volume.attached;
        // Without a node it is taken from all.
        if (nodeId === "") await volumes.put({ ...volume, attached: {} });
        else if (gone) await volumes.put({ ...volume, attached: others });
        return {};
      }),
  };
}

async function checkNode({ settings }: Shop, { topology }: VolumeRecord, nodeId: string): Promise<void> {
  const node = await readJson<{ topology: Segments }>(nodeFile(settings.dir, nodeId));
  if (!node) throw new DriverError("NotFound", `there is no node ${nodeId}`);
  if (!reaches(node.topology, topology)) {
    throw new DriverError("FailedPrecondition", `the volume is not reached from node ${nodeId}`);
  }
}

/** Whether it is attached already, as it is asked for; throws `AlreadyExists` when it is otherwise. */
function isAttachedAs({ attached }: VolumeRecord, nodeId: string, { mode }: Access, readOnly: boolean): boolean {
  const found = attached[nodeId];
  if (!found) return false;
  if (found.mode === mode && found.readOnly === readOnly) return true;
  throw new DriverError("AlreadyExists", `the volume is attached to ${nodeId} in another way`);
}

function checkOthers({ attached }: VolumeRecord, nodeId: string, { mode }: Access): void {
  const others = Object.entries(attached).filter(([other]) => other !== nodeId);
  if (others.every(([, other]) => isForSeveralNodes(mode) && isForSeveralNodes(other.mode))) return;
  throw new DriverError("FailedPrecondition", `the volume is attached to ${others.map(([other]) => other).join(", ")}`);
}

async function checkCount({ settings: { maxVolumes }, volumes }: Shop, nodeId: string): Promise<void> {
  if (maxVolumes === 0) return;
  const there = (await volumes.list()).filter(({ attached }) => Object.hasOwn(attached, nodeId));
  if (there.length >= maxVolumes) {
    throw new DriverError(
      "ResourceExhausted",
      `node ${nodeId} has ${maxVolumes} volumes, which is all that it may have`,
    );
  }
}
