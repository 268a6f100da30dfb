/**
 * Volumes that are disk images: sparse files with a file system, mounted through a loop device, or that block device
 * itself. The first mount creates the file system, and only on an empty disk.
 *
 * Needs Linux, root, and the programs mount, losetup, blkid and those of the file system.
 *
 * @module
 */
import { open, stat, statfs, truncate } from "node:fs/promises";
import { join } from "node:path";
import { DriverError } from "../../csi/driver-error.ts";
import type { Backing, MountOptions, VolumeUsage } from "./backing.ts";
import { run } from "./command.ts";
import { copy } from "./directory-backing.ts";
import { DEFAULT_TYPE, fileSystem, typeOn } from "./file-systems.ts";

const diskOf = (directory: string): string => join(directory, "disk.img");

/** See the head of this file. */
export const imageBacking: Backing = {
  minBytes: fileSystem(DEFAULT_TYPE).minBytes,
  hasBlocks: true,
  check: ({ fsType }: MountOptions) => void fileSystem(fsType),
  async create(directory, bytes) {
    await using disk = await open(diskOf(directory), "wx", 0o600);
    await disk.truncate(Number(bytes));
    await disk.sync();
  },
  async copy(from, to, bytes) {
    // Writes that are still in memory belong to the copy; a file system inside has its own.
    if ((await devicesOf(from)).length > 0) await run("sync");
    await copy(diskOf(from), diskOf(to));
    await growTo(to, bytes);
  },
  grow: growTo,
  async problem(directory) {
    const found = await stat(diskOf(directory)).catch(() => undefined);
    return found?.isFile() ? undefined : "the disk image is gone";
  },
  files: () => undefined,
  async mount(directory, path, { flags, fsType }) {
    const disk = diskOf(directory);
    const found = await typeOn(disk);
    const type = fsType || found || DEFAULT_TYPE;
    const system = fileSystem(type);
    const isWritten = !flags.includes("ro");
    if (found === undefined) await system.make(disk);
    else if (found !== type) {
      throw new DriverError("InvalidArgument", `expected a disk with ${type}, found ${found}`);
    }
    // The disk of a copy may be larger than the file system on it.
    if (isWritten) await system.grow(disk);
    await run("mount", "-t", type, "-o", ["loop", ...system.flags, ...flags].join(","), disk, path);
    if (isWritten && system.growsWhenMounted) await system.growMounted(path);
  },
  async device(directory) {
    const [found] = await devicesOf(directory);
    return found ?? (await run("losetup", "--find", "--show", diskOf(directory))).trim();
  },
  async release(directory) {
    for (const device of await devicesOf(directory)) await run("losetup", "--detach", device);
  },
  async growOnNode(directory, mounted) {
    for (const device of await devicesOf(directory)) await run("losetup", "--set-capacity", device);
    if (mounted !== undefined) await fileSystem((await typeOn(diskOf(directory))) ?? "").growMounted(mounted);
  },
  usage: async (_, path): Promise<VolumeUsage> => {
    const { bsize, blocks, bfree, bavail, files, ffree } = await statfs(path, { bigint: true });
    return {
      bytes: { total: blocks * bsize, used: (blocks - bfree) * bsize, available: bavail * bsize },
      inodes: { total: files, used: files - ffree, available: ffree },
    };
  },
};

async function growTo(directory: string, bytes: bigint): Promise<void> {
  const disk = diskOf(directory);
  if ((await stat(disk, { bigint: true })).size < bytes) await truncate(disk, Number(bytes));
}

/** The loop devices of a volume. */
async function devicesOf(directory: string): Promise<string[]> {
  const listed = await run("losetup", "--associated", diskOf(directory), "--noheadings", "--output", "NAME");
  return listed.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
}
