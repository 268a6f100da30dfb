/**
 * File systems on images of disks: how they are made, and how they take the room that their disk has got.
 *
 * @module
 */
import { stat } from "node:fs/promises";
import { DriverError } from "../../csi/driver-error.ts";
import { CommandError, run } from "./command.ts";
import { mountAt } from "./mounts.ts";

/** A type of file systems. */
export interface FileSystem {
  /** The smallest disk, in bytes. */
  readonly least: bigint;
  /** Flags of every mount. */
  readonly flags: readonly string[];
  /** Makes one on a disk that holds nothing. */
  make(disk: string): Promise<void>;
  /** Whether it fills its disk only while it is mounted. */
  readonly fillsWhenMounted: boolean;
  /** Fills the disk before it is mounted. */
  fill(disk: string): Promise<void>;
  /** Fills the disk while it is mounted to be written. */
  fillMounted(at: string): Promise<void>;
}

const ext = (type: string): FileSystem => ({
  // With less there is no room for a journal.
  least: 8n << 20n,
  flags: [],
  fillsWhenMounted: false,
  make: async (disk) => void (await run(`mkfs.${type}`, "-F", "-q", "-m", "0", disk)),
  async fill(disk) {
    const head = await run("dumpe2fs", "-h", disk);
    const [blocks, size] = ["Block count", "Block size"].map((name) => numberOf(head, name));
    if (blocks! * size! + size! > (await stat(disk, { bigint: true })).size) return;
    await checked(disk);
    await run("resize2fs", disk);
  },
  async fillMounted(at) {
    try {
      await run("resize2fs", await loopUnder(at));
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
    least: 300n << 20n,
    // A copy has the number of its original, and both may be mounted.
    flags: ["nouuid"],
    fillsWhenMounted: true,
    make: async (disk) => void (await run("mkfs.xfs", "-f", "-q", disk)),
    fill: async () => {},
    fillMounted: async (at) => void (await run("xfs_growfs", at)),
  },
};

/** The type of file systems where nobody asks for one. */
export const DEFAULT_TYPE = "ext4";

/** A type of file systems by its name; the default one for an empty name. Throws `InvalidArgument` for others. */
export function fileSystem(type: string): FileSystem {
  const name = type || DEFAULT_TYPE;
  if (Object.hasOwn(TYPES, name)) return TYPES[name]!;
  throw new DriverError("InvalidArgument", `expected a file system of ${Object.keys(TYPES).join(", ")}; got ${name}`);
}

/** What is on a disk; undefined when it is provably empty. */
export async function typeOn(disk: string): Promise<string | undefined> {
  try {
    return (await run("blkid", "--probe", "--output", "value", "--match-tag", "TYPE", disk)).trim() || "something else";
  } catch (error) {
    // It says so with this code when it has found nothing at all.
    if (error instanceof CommandError && error.exit === 2) return undefined;
    throw error;
  }
}

/** Plays the journal, as a mount would, and looks whether all is well. */
async function checked(disk: string): Promise<void> {
  try {
    await run("e2fsck", "-f", "-p", disk);
  } catch (error) {
    // It has put something right.
    if (!(error instanceof CommandError && error.exit === 1)) throw error;
  }
}

function numberOf(text: string, name: string): bigint {
  const line = text.split("\n").find((one) => one.startsWith(`${name}:`)) ?? "";
  const [, digits] = /^\s+(\d+)$/.exec(line.slice(name.length + 1)) ?? [];
  if (digits === undefined) throw new DriverError("Internal", `dumpe2fs has told no ${name}`);
  return BigInt(digits);
}

/** The loop device of what is mounted. */
async function loopUnder(path: string): Promise<string> {
  const source = (await mountAt(path))?.source;
  if (source?.startsWith("/dev/loop")) return source;
  throw new DriverError("Internal", `${source ?? "nothing"} at ${path} is no image of a disk`);
}
