/**
 * Volumes that are mounted once for all Pods of a node.
 *
 * @module
 */
import type { Implementation } from "../../csi/calls.ts";
import { DriverError } from "../../csi/driver-error.ts";
import type { Node } from "../../csi/generated/csi_pb.js";
import { checkHere } from "./here.ts";
import { NodeFiles, type Staged } from "./node-state.ts";
import { type Access, accessOf, required } from "./requests.ts";
import { type Shop, volumeOf } from "./shop.ts";
import { giveGroup, stageAt, stands, unstageAt } from "./stand.ts";

/** Methods of the node for staging; none where volumes are not staged. */
export function nodeStaging(shop: Shop): Implementation<typeof Node> {
  const { settings, backing, volumes, lock } = shop;
  const staged = new NodeFiles<Staged>(shop.node, "staged");
  if (!settings.features.has("stage")) return {};
  return {
    nodeStageVolume: ({ volumeId, stagingTargetPath: path, volumeCapability, publishContext }) =>
      lock.run(required(volumeId, "volume_id"), async () => {
        required(path, "staging_target_path");
        const access = accessOf(volumeCapability, backing, settings);
        const volume = await volumeOf(shop, volumeId);
        checkHere(shop, volume, access, publishContext);
        const wanted = stagedAs(volumeId, path, access);
        const found = await staged.get(volumeId);
        if (found && !isSame(found, wanted)) {
          throw new DriverError("AlreadyExists", `the volume is staged at ${found.path} in another way`);
        }
        await stageAt(shop, volume, path, access);
        if (!volume.block) await giveGroup(shop.mounts ? path : backing.files(volumes.place(volumeId))!, access.group);
        if (!found) await staged.put(volumeId, wanted);
        return {};
      }),
    nodeUnstageVolume: ({ volumeId, stagingTargetPath: path }) =>
      lock.run(required(volumeId, "volume_id"), async () => {
        required(path, "staging_target_path");
        const found = await staged.get(volumeId);
        if (found && found.path !== path) return {};
        if (found || (await stands(shop, path))) await unstageAt(shop, await volumes.get(volumeId), path);
        await staged.remove(volumeId);
        return {};
      }),
  };
}

const stagedAs = (volumeId: string, path: string, { mode, fsType, flags }: Access): Staged => ({
  volumeId,
  path,
  mode,
  fsType,
  flags,
});

const isSame = (a: Staged, b: Staged): boolean =>
  a.path === b.path && a.mode === b.mode && a.fsType === b.fsType && a.flags.join() === b.flags.join();
