/**
 * Volumes that are directories. Their size is recorded, and not enforced.
 *
 * @module
 */
import { chmod, lstat, mkdir, opendir, stat } from "node:fs/promises";
import { join } from "node:path";
import { DriverError } from "../../csi/driver-error.ts";
import type { Backing, MountOptions, VolumeUsage } from "./backing.ts";
import { run } from "./command.ts";
import { bind, directoryFlags } from "./mounts.ts";
import { ifExists } from "./records.ts";

const dataOf = (directory: string): string => join(directory, "data");

/** See the head of this file. */
export const directoryBacking: Backing = {
  minBytes: 1n,
  hasBlocks: false,
  check: ({ flags }: MountOptions) => void directoryFlags(flags),
  async create(directory) {
    await mkdir(dataOf(directory));
    // Containers may run as any user. The mode does not depend on a umask.
    await chmod(dataOf(directory), 0o777);
  },
  copy: (from, to) => copy(dataOf(from), dataOf(to)),
  grow: async () => {},
  async problem(directory) {
    const found = await stat(dataOf(directory)).catch(() => undefined);
    return found?.isDirectory() ? undefined : "the directory with the data is gone";
  },
  files: dataOf,
  mount: (directory, path, { flags }) => bind(dataOf(directory), path, directoryFlags(flags)),
  device: () => Promise.reject(new DriverError("InvalidArgument", "a directory is not a block device")),
  release: async () => {},
  growOnNode: async () => {},
  usage: async (directory, _, bytes) => usageOf(dataOf(directory), bytes),
};

/** Copies a tree or a file with owners, modes, times, links and holes. */
export async function copy(from: string, to: string): Promise<void> {
  const sharing = process.platform === "linux" ? ["--reflink=auto", "--sparse=auto"] : [];
  await run("cp", "-a", ...sharing, from, to);
}

async function usageOf(data: string, total: bigint): Promise<VolumeUsage> {
  let used = 0n;
  let inodes = 0n;
  for (const left = [data]; left.length > 0;) {
    const directory = left.pop()!;
    for await (const entry of await opendir(directory)) {
      const path = join(directory, entry.name);
      const found = await ifExists(lstat(path, { bigint: true }));
      if (!found) continue;
      used += found.blocks * 512n;
      inodes++;
      if (entry.isDirectory()) left.push(path);
    }
  }
  const available = used < total ? total - used : 0n;
  return { bytes: { total, used, available }, inodes: { total: 0n, used: inodes, available: 0n } };
}
