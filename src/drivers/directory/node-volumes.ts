/**
 * Usage and expansion of the volumes of a node.
 *
 * @module
 */
import type { Implementation } from "../../csi/calls.ts";
import { DriverError } from "../../csi/driver-error.ts";
import type { Node } from "../../csi/generated/csi_pb.js";
import { USAGE_UNIT } from "../../csi/terms.ts";
import { type DriverContext, volumeOf } from "./driver-context.ts";
import { isPublishedAt } from "./node-paths.ts";
import { accessOf, required } from "./requests.ts";
import { fits } from "./sizes.ts";
import { conditionMessage } from "./status.ts";

/** NodeGetVolumeStats and NodeExpandVolume, where the features allow them. */
export function nodeVolumes(context: DriverContext): Implementation<typeof Node> {
  const { settings, backing, volumes, lock, mounts, staged, published } = context;
  const { features } = settings;

  /** Throws `NotFound` where a volume is not at a path. */
  async function checkAt(volumeId: string, path: string): Promise<void> {
    const at = [await published.get(path), await staged.get(volumeId)];
    if (at.some((found) => found?.volumeId === volumeId && found.path === path)) return;
    throw new DriverError("NotFound", `volume ${volumeId} is not at ${path}`);
  }

  const isUnmounted = async (path: string): Promise<string | undefined> =>
    mounts && !(await isPublishedAt(context, path)) ? "the volume is no longer mounted" : undefined;

  return {
    ...(features.has("stats") && {
      async nodeGetVolumeStats({ volumeId, volumePath }) {
        required(volumeId, "volume_id");
        required(volumePath, "volume_path");
        const volume = await volumeOf(context, volumeId);
        await checkAt(volumeId, volumePath);
        const directory = volumes.directory(volumeId);
        const total = BigInt(volume.bytes);
        const condition = (problem: string | undefined) =>
          features.has("condition") ? { volumeCondition: conditionMessage(problem) } : {};
        const problem = (await backing.problem(directory)) ?? (await isUnmounted(volumePath));
        if (volume.block || problem !== undefined) {
          return { usage: [{ unit: USAGE_UNIT.BYTES, total }], ...condition(problem) };
        }
        const { bytes, inodes } = await backing.usage(directory, volumePath, total);
        const isOver = bytes.used > bytes.total ? "the volume holds more than its size" : undefined;
        return {
          usage: [
            { unit: USAGE_UNIT.BYTES, ...bytes },
            { unit: USAGE_UNIT.INODES, ...inodes },
          ],
          ...condition(isOver),
        };
      },
    }),
    ...(features.has("node-expand") && {
      nodeExpandVolume: ({ volumeId, volumePath, capacityRange, volumeCapability }) =>
        lock.run(required(volumeId, "volume_id"), async () => {
          required(volumePath, "volume_path");
          if (volumeCapability) accessOf(volumeCapability, backing, settings);
          const volume = await volumeOf(context, volumeId);
          await checkAt(volumeId, volumePath);
          const capacityBytes = BigInt(volume.bytes);
          if (!fits(capacityBytes, capacityRange)) {
            throw new DriverError("OutOfRange", `the volume has ${capacityBytes} bytes; expand it on its controller`);
          }
          await backing.growOnNode(volumes.directory(volumeId), volume.block ? undefined : volumePath);
          return { capacityBytes };
        }),
    }),
  };
}
