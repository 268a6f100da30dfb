/**
 * What a directory takes of the disk (NODE-56).
 *
 * @module
 */
import { lstat } from "node:fs/promises";
import type { VolumeUsage } from "../contract.ts";
import { FewAtOnce } from "../mounts/few-at-once.ts";
import { HeldDirectory, codeOf } from "../mounts/held-directory.ts";

/** The unit in which the system counts blocks, in bytes. */
const BLOCK = 512n;
const AT_ONCE = 8;
/** The deepest directory that is looked into: each level above it is held open. */
const DEEPEST = 1000;

/** See the head of this file: blocks and files, a file with several names once, nothing that is mounted inside. */
export async function diskUsage(path: string, signal?: AbortSignal): Promise<VolumeUsage> {
  const count: Count = { blocks: 0n, files: 0, seen: new Set(), signal, mount: "" };
  const root = await HeldDirectory.open(path);
  try {
    count.mount = await root.mountId();
    await add(root, count, 0);
  } finally {
    await root.close();
  }
  return { usedBytes: Number(count.blocks * BLOCK), inodesUsed: count.files };
}

interface Count {
  blocks: bigint;
  files: number;
  /** Files with several names, by their numbers. */
  readonly seen: Set<bigint>;
  readonly signal: AbortSignal | undefined;
  mount: string;
}

async function add(directory: HeldDirectory, count: Count, depth: number): Promise<void> {
  if (depth > DEEPEST) throw new Error(`${directory.shown} lies deeper than ${DEEPEST} directories: it is not counted`);
  const files = new FewAtOnce(AT_ONCE);
  note(await directory.stats(), count);
  try {
    for await (const { name, isDirectory } of directory.entries()) {
      count.signal?.throwIfAborted();
      if (isDirectory) await addDirectory(directory, name, count, depth + 1);
      else
        await files.begin(async () => {
          const stats = await lstat(directory.at(name), { bigint: true }).catch(ignoreGone);
          if (stats) note(stats, count);
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

function note(stats: { blocks: bigint; nlink: bigint; ino: bigint; isDirectory(): boolean }, count: Count): void {
  if (stats.nlink > 1n && !stats.isDirectory()) {
    if (count.seen.has(stats.ino)) return;
    count.seen.add(stats.ino);
  }
  count.blocks += stats.blocks;
  count.files++;
}

/** Containers go on while their files are counted. */
function ignoreGone(error: unknown): undefined {
  if (["ENOENT", "ENOTDIR", "ELOOP"].includes(codeOf(error) ?? "")) return undefined;
  throw error;
}
