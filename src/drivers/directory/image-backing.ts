/**
 * Volumes that are images of disks: sparse files with a file system inside, mounted by way of a loop device, or that
 * device itself. A file system is made when the volume is first mounted, and only on a disk that holds nothing.
 *
 * Needs Linux, root, and the programs mount, losetup, blkid and those of the file system.
 *
 * @module
 */
import { open, stat, statfs, truncate } from "node:fs/promises";
import { join } from "node:path";
import { DriverError } from "../../csi/driver-error.ts";
import type { Backing, MountHow, VolumeUsage } from "./backing.ts";
import { run } from "./command.ts";
import { copy } from "./directory-backing.ts";
import { DEFAULT_TYPE, fileSystem, typeOn } from "./file-systems.ts";

const diskOf = (place: string): string => join(place, "disk.img");

/** See the head of this file. */
export const imageBacking: Backing = {
  least: fileSystem(DEFAULT_TYPE).least,
  hasBlocks: true,
  check: ({ fsType }: MountHow) => void fileSystem(fsType),
  async create(place, bytes) {
    await using disk = await open(diskOf(place), "wx", 0o600);
    await disk.truncate(Number(bytes));
    await disk.sync();
  },
  async copy(from, to, bytes) {
    // What is written but still in memory belongs to the copy; a file system inside is one of its own.
    if ((await devicesOf(diskOf(from))).length > 0) await run("sync");
    await copy(diskOf(from), diskOf(to));
    await growTo(diskOf(to), bytes);
  },
  grow: (place, bytes) => growTo(diskOf(place), bytes),
  async trouble(place) {
    const found = await stat(diskOf(place)).catch(() => undefined);
    return found?.isFile() ? undefined : "the image of the disk is gone";
  },
  files: () => undefined,
  async mount(place, at, { flags, fsType }) {
    const disk = diskOf(place);
    const found = await typeOn(disk);
    const type = fsType || found || DEFAULT_TYPE;
    const kind = fileSystem(type);
    const isWritten = !flags.includes("ro");
    if (found === undefined) await kind.make(disk);
    else if (found !== type) {
      throw new DriverError("InvalidArgument", `expected a disk with ${type}, but there is ${found} on it`);
    }
    // A copy may have more room than what it is a copy of.
    if (isWritten) await kind.fill(disk);
    await run("mount", "-t", type, "-o", ["loop", ...kind.flags, ...flags].join(","), disk, at);
    if (isWritten && kind.fillsWhenMounted) await kind.fillMounted(at);
  },
  async device(place) {
    const [found] = await devicesOf(diskOf(place));
    return found ?? (await run("losetup", "--find", "--show", diskOf(place))).trim();
  },
  async release(place) {
    for (const device of await devicesOf(diskOf(place))) await run("losetup", "--detach", device);
  },
  async growOnNode(place, mounted) {
    for (const device of await devicesOf(diskOf(place))) await run("losetup", "--set-capacity", device);
    if (mounted !== undefined) await fileSystem((await typeOn(diskOf(place))) ?? "").fillMounted(mounted);
  },
  usage: async (_, path): Promise<VolumeUsage> => {
    const { bsize, blocks, bfree, bavail, files, ffree } = await statfs(path, { bigint: true });
    return {
      bytes: { total: blocks * bsize, used: (blocks - bfree) * bsize, available: bavail * bsize },
      inodes: { total: files, used: files - ffree, available: ffree },
    };
  },
};

async function growTo(disk: string, bytes: bigint): Promise<void> {
  if ((await stat(disk, { bigint: true })).size < bytes) await truncate(disk, Number(bytes));
}

/** The loop devices of a disk. */
async function devicesOf(disk: string): Promise<string[]> {
  const listed = await run("losetup", "--associated", disk, "--noheadings", "--output", "NAME");
  return listed.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
}
