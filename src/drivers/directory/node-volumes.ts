/**
 * Volumes that stand on a node: how much they hold, and that they have grown.
 *
 * @module
 */
import type { Implementation } from "../../csi/calls.ts";
import { DriverError } from "../../csi/driver-error.ts";
import type { Node } from "../../csi/generated/csi_pb.js";
import { USAGE_UNIT } from "../../csi/terms.ts";
import { NodeFiles, type Published, type Staged } from "./node-state.ts";
import { accessOf, required } from "./requests.ts";
import { type Shop, volumeOf } from "./shop.ts";
import { fits } from "./sizes.ts";
import { stands } from "./stand.ts";
import { conditionMessage } from "./status.ts";

/** Methods of the node for volumes that stand there. */
export function nodeVolumes(shop: Shop): Implementation<typeof Node> {
  const { settings, backing, volumes, lock } = shop;
  const { features } = settings;
  const staged = new NodeFiles<Staged>(shop.node, "staged");
  const published = new NodeFiles<Published>(shop.node, "published");

  /** Throws `NotFound` where a volume is not at a path. */
  async function checkAt(volumeId: string, path: string): Promise<void> {
    const at = [await published.get(path), await staged.get(volumeId)];
    if (at.some((found) => found?.volumeId === volumeId && found.path === path)) return;
    throw new DriverError("NotFound", `volume ${volumeId} is not at ${path}`);
  }

  return {
    ...(features.has("stats") && {
      async nodeGetVolumeStats({ volumeId, volumePath }) {
        required(volumeId, "volume_id");
        required(volumePath, "volume_path");
        const volume = await volumeOf(shop, volumeId);
        await checkAt(volumeId, volumePath);
        const place = volumes.place(volumeId);
        const total = BigInt(volume.bytes);
        const trouble = (await backing.trouble(place)) ?? (await isLost(shop, volumePath));
        const volumeCondition = features.has("condition") ? { volumeCondition: conditionMessage(trouble) } : {};
        if (volume.block || trouble !== undefined) {
          return { usage: [{ unit: USAGE_UNIT.BYTES, total }], ...volumeCondition };
        }
        const { bytes, inodes } = await backing.usage(place, volumePath, total);
        const isOver = bytes.used > bytes.total ? "the volume holds more than its size" : undefined;
        return {
          usage: [
            { unit: USAGE_UNIT.BYTES, ...bytes },
            { unit: USAGE_UNIT.INODES, ...inodes },
          ],
          ...(features.has("condition") && { volumeCondition: conditionMessage(isOver) }),
        };
      },
    }),
    ...(features.has("node-expand") && {
      nodeExpandVolume: ({ volumeId, volumePath, capacityRange, volumeCapability }) =>
        lock.run(required(volumeId, "volume_id"), async () => {
          required(volumePath, "volume_path");
          if (volumeCapability) accessOf(volumeCapability, backing, settings);
          const volume = await volumeOf(shop, volumeId);
          await checkAt(volumeId, volumePath);
          const capacityBytes = BigInt(volume.bytes);
          if (!fits(capacityBytes, capacityRange)) {
            throw new DriverError(
              "OutOfRange",
              `the volume has ${capacityBytes} bytes; its controller makes it larger`,
            );
          }
          await backing.growOnNode(volumes.place(volumeId), volume.block ? undefined : volumePath);
          return { capacityBytes };
        }),
    }),
  };
}

const isLost = async (shop: Shop, path: string): Promise<string | undefined> =>
  shop.mounts && !(await stands(shop, path)) ? "the volume is no longer mounted" : undefined;
