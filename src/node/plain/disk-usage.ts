/**
 * The disk usage of a directory (NODE-56).
 *
 * @module
 */
import { lstat } from "node:fs/promises";
import type { VolumeUsage } from "../contract.ts";
import { BoundedWork } from "../mounts/bounded-work.ts";
import { HeldDirectory } from "../mounts/held-directory.ts";
import { codeOf } from "../../util/error.ts";

/** The unit of block counts in stat(2). */
const BLOCK_BYTES = 512n;
const MAX_AT_ONCE = 8;
/** The deepest directory below the root: each level above it is open. */
const MAX_DEPTH = 1000;

/** Counts blocks and files: a file with several names once, and no other mounts. */
export async function diskUsage(path: string, signal?: AbortSignal): Promise<VolumeUsage> {
  const count: Count = { blocks: 0n, files: 0, seen: new Set(), signal, mount: "" };
  const root = await HeldDirectory.open(path);
  try {
    count.mount = await root.mountId();
    await add(root, count, 0);
  } finally {
    await root.close();
  }
  return { usedBytes: Number(count.blocks * BLOCK_BYTES), inodesUsed: count.files };
}

interface Count {
  blocks: bigint;
  files: number;
  /** The inodes of files with several names. */
  readonly seen: Set<bigint>;
  readonly signal: AbortSignal | undefined;
  mount: string;
}

async function add(directory: HeldDirectory, count: Count, depth: number): Promise<void> {
  if (depth > MAX_DEPTH) throw new Error(`expected ${directory.shown} to be at most ${MAX_DEPTH} directories deep`);
  const files = new BoundedWork(MAX_AT_ONCE);
  addStats(await directory.stats(), count);
  try {
    for await (const { name, isDirectory } of directory.entries()) {
      count.signal?.throwIfAborted();
      if (isDirectory) await addDirectory(directory, name, count, depth + 1);
      else
        await files.begin(async () => {
          const stats = await lstat(directory.at(name), { bigint: true }).catch(ignoreGone);
          if (stats) addStats(stats, count);
        });
    }
  } finally {
    await files.end();
  }
}

async function addDirectory(parent: HeldDirectory, name: Buffer, count: Count, depth: number): Promise<void> {
  const directory = await parent.directory(name).catch(ignoreGone);
  if (!directory) return;
  try {
    if ((await directory.mountId()) === count.mount) await add(directory, count, depth);
  } finally {
    await directory.close();
  }
}

function addStats(stats: { blocks: bigint; nlink: bigint; ino: bigint; isDirectory(): boolean }, count: Count): void {
  if (stats.nlink > 1n && !stats.isDirectory()) {
    if (count.seen.has(stats.ino)) return;
    count.seen.add(stats.ino);
  }
  count.blocks += stats.blocks;
  count.files++;
}

/** Containers may remove files meanwhile. */
function ignoreGone(error: unknown): undefined {
  if (["ENOENT", "ENOTDIR", "ELOOP"].includes(codeOf(error) ?? "")) return undefined;
  throw error;
}
