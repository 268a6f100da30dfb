/**
 * Stages volumes: mounts them once for all Pods of a node.
 *
 * @module
 */
import type { Implementation } from "../../csi/calls.ts";
import type { Node } from "../../csi/generated/csi_pb.js";
import { checkOnNode } from "./check-node.ts";
import { type DriverContext, volumeOf } from "./driver-context.ts";
import { applyGroup, isPublishedAt, stageAt, unstageAt } from "./node-paths.ts";
import { accessOf, required } from "./requests.ts";

/** NodeStageVolume and NodeUnstageVolume; nothing without the feature `stage`. */
export function nodeStaging(context: DriverContext): Implementation<typeof Node> {
  const { settings, backing, volumes, lock, mounts, staged } = context;
  if (!settings.features.has("stage")) return {};
  return {
    nodeStageVolume: ({ volumeId, stagingTargetPath: path, volumeCapability, publishContext }) =>
      lock.run(required(volumeId, "volume_id"), async () => {
        required(path, "staging_target_path");
        const access = accessOf(volumeCapability, backing, settings);
        const volume = await volumeOf(context, volumeId);
        checkOnNode(context, volume, access, publishContext);
        const { mode, fsType, flags } = access;
        const desired = { volumeId, path, mode, fsType, flags };
        const found = await staged.getSame(volumeId, desired);
        await stageAt(context, volume, path, access);
        if (!volume.block) await applyGroup(mounts ? path : backing.files(volumes.directory(volumeId))!, access.group);
        if (!found) await staged.put(volumeId, desired);
        return {};
      }),
    nodeUnstageVolume: ({ volumeId, stagingTargetPath: path }) =>
      lock.run(required(volumeId, "volume_id"), async () => {
        required(path, "staging_target_path");
        const found = await staged.get(volumeId);
        if (found && found.path !== path) return {};
        if (found || (await isPublishedAt(context, path))) await unstageAt(context, await volumes.get(volumeId), path);
        await staged.remove(volumeId);
        return {};
      }),
  };
}
