/**
 * Volumes that are directories. Their size is what they say, and nobody holds them to it.
 *
 * @module
 */
import { chmod, lstat, mkdir, opendir, stat } from "node:fs/promises";
import { join } from "node:path";
import { DriverError } from "../../csi/driver-error.ts";
import type { Backing, MountHow, VolumeUsage } from "./backing.ts";
import { run } from "./command.ts";
import { bind, directoryFlags } from "./mounts.ts";
import { isMissing } from "./records.ts";

const dataOf = (place: string): string => join(place, "data");

/** See the head of this file. */
export const directoryBacking: Backing = {
  least: 1n,
  hasBlocks: false,
  check: ({ flags }: MountHow) => void directoryFlags(flags),
  async create(place) {
    await mkdir(dataOf(place));
    // Whoever a container runs as; a umask has no say in it.
    await chmod(dataOf(place), 0o777);
  },
  copy: (from, to) => copy(dataOf(from), dataOf(to)),
  grow: async () => {},
  async trouble(place) {
    const found = await stat(dataOf(place)).catch(() => undefined);
    return found?.isDirectory() ? undefined : "the directory with the data is gone";
  },
  files: dataOf,
  mount: (place, at, { flags }) => bind(dataOf(place), at, directoryFlags(flags)),
  device: () => Promise.reject(new DriverError("InvalidArgument", "a directory is no device")),
  release: async () => {},
  growOnNode: async () => {},
  usage: async (place, _, bytes) => usageOf(dataOf(place), bytes),
};

/** Copies a tree or a file with all that it has: owners, modes, times, links, holes. */
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
      const found = await lstat(path, { bigint: true }).catch((error: unknown) => {
        if (isMissing(error)) return undefined;
        throw error;
      });
      if (!found) continue;
      used += found.blocks * 512n;
      inodes++;
      if (entry.isDirectory()) left.push(path);
    }
  }
  const available = used < total ? total - used : 0n;
  return { bytes: { total, used, available }, inodes: { total: 0n, used: inodes, available: 0n } };
}
