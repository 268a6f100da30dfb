/**
 * The usage of the file system of a volume (NODE-53).
 *
 * @module
 */
import { statfs } from "node:fs/promises";
import type { NeededVolume, VolumeUsage } from "../contract.ts";

/** See the head of this file; undefined for a device. */
export async function directoryStats({
  path,
  mode,
}: Pick<NeededVolume, "path" | "mode">): Promise<VolumeUsage | undefined> {
  if (mode === "Block") return undefined;
  const { bsize, blocks, bfree, bavail, files, ffree } = await statfs(path);
  return {
    capacityBytes: blocks * bsize,
    usedBytes: (blocks - bfree) * bsize,
    availableBytes: bavail * bsize,
    inodes: files,
    inodesFree: ffree,
    inodesUsed: files - ffree,
  };
}
