/**
 * The types of file systems on disk images: how they are created, and how they grow with their disk.
 *
 * @module
 */
import { stat } from "node:fs/promises";
import { DriverError } from "../../csi/driver-error.ts";
import { CommandError, run } from "./command.ts";
import { mountAt } from "./mounts.ts";

/** A type of file systems. */
export interface FileSystem {
  /** The size of the smallest disk. */
  readonly minBytes: bigint;
  /** Flags of every mount. */
  readonly flags: readonly string[];
  /** Creates one on an empty disk. */
  make(disk: string): Promise<void>;
  /** Whether it can grow only while it is mounted. */
  readonly growsWhenMounted: boolean;
  /** Grows to the size of the disk, before it is mounted. */
  grow(disk: string): Promise<void>;
  /** Grows to the size of the disk while it is mounted for writing. */
  growMounted(path: string): Promise<void>;
}

const ext = (type: string): FileSystem => ({
  // A journal does not fit into less.
  minBytes: 8n << 20n,
  flags: [],
  growsWhenMounted: false,
  make: async (disk) => void (await run(`mkfs.${type}`, "-F", "-q", "-m", "0", disk)),
  async grow(disk) {
    const head = await run("dumpe2fs", "-h", disk);
    const [blocks, size] = ["Block count", "Block size"].map((name) => numberOf(head, name));
    if (blocks! * size! + size! > (await stat(disk, { bigint: true })).size) return;
    await check(disk);
    await run("resize2fs", disk);
  },
  async growMounted(path) {
    try {
      await run("resize2fs", await loopDeviceAt(path));
    } catch (error) {
      if (!(error instanceof CommandError) || !/Permission denied/.test(error.reason)) throw error;
      const hint = "that needs CAP_SYS_RESOURCE; it grows when it is staged again, and xfs grows without";
      throw new DriverError("Internal", `the file system cannot grow while it is mounted: ${hint}`);
    }
  },
});

const TYPES: Readonly<Record<string, FileSystem>> = {
  ext4: ext("ext4"),
  ext3: ext("ext3"),
  ext2: ext("ext2"),
  xfs: {
    minBytes: 300n << 20n,
    // A copy has the UUID of its original, and both may be mounted.
    flags: ["nouuid"],
    growsWhenMounted: true,
    make: async (disk) => void (await run("mkfs.xfs", "-f", "-q", disk)),
    grow: async () => {},
    growMounted: async (path) => void (await run("xfs_growfs", path)),
  },
};

/** The type of file systems for a request without one. */
export const DEFAULT_TYPE = "ext4";

/** A type of file systems by its name, which is empty for the default. Throws `InvalidArgument` for others. */
export function fileSystem(type: string): FileSystem {
  const name = type || DEFAULT_TYPE;
  if (Object.hasOwn(TYPES, name)) return TYPES[name]!;
  throw new DriverError("InvalidArgument", `expected a file system of ${Object.keys(TYPES).join(", ")}; got ${name}`);
}

/** The type of what is on a disk; undefined when the disk is empty for certain. */
export async function typeOn(disk: string): Promise<string | undefined> {
  try {
    return (await run("blkid", "--probe", "--output", "value", "--match-tag", "TYPE", disk)).trim() || "something else";
  } catch (error) {
    // The exit code for a disk without any signature.
    if (error instanceof CommandError && error.exit === 2) return undefined;
    throw error;
  }
}

/** Replays the journal, as a mount does, and checks the file system. */
async function check(disk: string): Promise<void> {
  try {
    await run("e2fsck", "-f", "-p", disk);
  } catch (error) {
    // The exit code for errors that it has corrected.
    if (!(error instanceof CommandError && error.exit === 1)) throw error;
  }
}

function numberOf(text: string, name: string): bigint {
  const line = text.split("\n").find((one) => one.startsWith(`${name}:`)) ?? "";
  const [, digits] = /^\s+(\d+)$/.exec(line.slice(name.length + 1)) ?? [];
  if (digits === undefined) throw new DriverError("Internal", `expected dumpe2fs to print ${name}`);
  return BigInt(digits);
}

/** The loop device that is mounted at a path. */
async function loopDeviceAt(path: string): Promise<string> {
  const source = (await mountAt(path))?.source;
  if (source?.startsWith("/dev/loop")) return source;
  throw new DriverError("Internal", `expected a disk image at ${path}, found ${source ?? "nothing"}`);
}
