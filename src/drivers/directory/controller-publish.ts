/**
 * Attaches volumes to nodes. One machine has nothing to attach: the record of a volume has its nodes, and mounting checks
 * them, so that callers have to keep the order of calls.
 *
 * @module
 */
import type { Implementation } from "../../csi/calls.ts";
import { DriverError } from "../../csi/driver-error.ts";
import type { Controller } from "../../csi/generated/csi_pb.js";
import { type Segments, type VolumeRecord, readJson } from "./records.ts";
import { type Access, accessOf, isMultiNode, required } from "./requests.ts";
import { type DriverContext, nodeFile, volumeOf } from "./driver-context.ts";
import { isAccessible } from "./topology.ts";

/** The key of the publish context that has the ID of the node. */
export const ATTACHED_TO = "attached-to";

/** ControllerPublishVolume and ControllerUnpublishVolume; nothing without the feature `attach`. */
export function controllerPublish(context: DriverContext): Implementation<typeof Controller> {
  const { settings, backing, volumes, lock } = context;
  if (!settings.features.has("attach")) return {};
  return {
    controllerPublishVolume: ({ volumeId, nodeId, volumeCapability, readonly }) =>
      lock.run(required(volumeId, "volume_id"), async () => {
        required(nodeId, "node_id");
        const access = accessOf(volumeCapability, backing, settings);
        const volume = await volumeOf(context, volumeId);
        await checkNode(context, volume, nodeId);
        if (!isAttachedAs(volume, nodeId, access, readonly)) {
          checkOthers(volume, nodeId, access);
          await checkCount(context, nodeId);
          const attached = { ...volume.attached, [nodeId]: { readOnly: readonly, mode: access.mode } };
          await volumes.put({ ...volume, attached });
        }
        return { publishContext: { [ATTACHED_TO]: nodeId } };
      }),
    controllerUnpublishVolume: ({ volumeId, nodeId }) =>
      lock.run(required(volumeId, "volume_id"), async () => {
        const volume = await volumes.get(volumeId);
        if (!volume) return {};
        const { [nodeId]: found, ...others } = volume.attached;
        // A request without a node detaches from all nodes.
        if (nodeId === "") await volumes.put({ ...volume, attached: {} });
        else if (found) await volumes.put({ ...volume, attached: others });
        return {};
      }),
  };
}

async function checkNode({ settings }: DriverContext, { topology }: VolumeRecord, nodeId: string): Promise<void> {
  const node = await readJson<{ topology: Segments }>(nodeFile(settings.dir, nodeId));
  if (!node) throw new DriverError("NotFound", `there is no node ${nodeId}`);
  if (!isAccessible(node.topology, topology)) {
    throw new DriverError("FailedPrecondition", `the volume is not accessible from node ${nodeId}`);
  }
}

/** Whether the volume is attached in the same way. Throws `AlreadyExists` where it is attached in another way. */
function isAttachedAs({ attached }: VolumeRecord, nodeId: string, { mode }: Access, readOnly: boolean): boolean {
  const found = attached[nodeId];
  if (!found) return false;
  if (found.mode === mode && found.readOnly === readOnly) return true;
  throw new DriverError("AlreadyExists", `the volume is attached to ${nodeId} in another way`);
}

function checkOthers({ attached }: VolumeRecord, nodeId: string, { mode }: Access): void {
  const others = Object.entries(attached).filter(([other]) => other !== nodeId);
  if (others.every(([, other]) => isMultiNode(mode) && isMultiNode(other.mode))) return;
  throw new DriverError("FailedPrecondition", `the volume is attached to ${others.map(([other]) => other).join(", ")}`);
}

async function checkCount({ settings: { maxVolumes }, volumes }: DriverContext, nodeId: string): Promise<void> {
  if (maxVolumes === 0) return;
  const attached = (await volumes.list()).filter((volume) => Object.hasOwn(volume.attached, nodeId));
  if (attached.length < maxVolumes) return;
  throw new DriverError("ResourceExhausted", `node ${nodeId} has ${maxVolumes} volumes, which is its maximum`);
}
