/** Checks of the data directory: rights, space, file system, and the time of a durable write. */
import { type Check, fail, ok, sizeText, warn } from "./check.ts";

const MIB = 1024 ** 2;

/** The state of a directory. */
export interface DirectoryState {
  readonly path: string;
  readonly exists: boolean;
  /** The nearest directory that exists. */
  readonly nearest: string;
  /** Whether `nearest` can be written to. */
  readonly isWritable: boolean;
  /** The permission bits of `path`; undefined where the platform has none. */
  readonly mode: number | undefined;
}

/** Checks the directory. */
export function directoryCheck({ path, exists, nearest, isWritable, mode }: DirectoryState): Check {
  const found = exists ? path : `${path} (does not exist yet)`;
  if (!isWritable) {
    const advice = `${nearest} cannot be written to by this user: choose another --data-dir, or change its owner`;
    return fail("data directory", found, advice);
  }
  if (exists && mode !== undefined && (mode & 0o077) !== 0) {
    const bits = (mode & 0o777).toString(8).padStart(4, "0");
    return warn("data directory", `${found}, mode ${bits}`, `it contains private keys: chmod 700 ${path}`);
  }
  return ok("data directory", found);
}

/** Checks the free space, in bytes. */
export function spaceCheck(free: number, total: number): Check {
  const found = `${sizeText(free)} free of ${sizeText(total)}`;
  if (free < 64 * MIB)
    return fail("disk space", found, "free some space: a server cannot store objects on a full disk");
  return free < 1024 * MIB
    ? warn("disk space", found, "1 GiB or more is better, for the history")
    : ok("disk space", found);
}

/** File systems by their magic number (statfs(2)). */
const FILE_SYSTEMS: ReadonlyMap<number, { readonly name: string; readonly problem?: string }> = new Map([
  [0xef53, { name: "ext4" }],
  [0x58465342, { name: "xfs" }],
  [0x9123683e, { name: "btrfs" }],
  [0x2fc12fc1, { name: "zfs" }],
  [0xf2f52010, { name: "f2fs" }],
  [0x794c7630, { name: "overlay", problem: "is deleted with the container: use a volume" }],
  [0x01021994, { name: "tmpfs", problem: "is gone after a restart of the machine" }],
  [0x858458f6, { name: "ramfs", problem: "is gone after a restart of the machine" }],
  [0x6969, { name: "nfs", problem: "does not lock or flush as SQLite needs: use a local disk" }],
  [0xff534d42, { name: "cifs", problem: "does not lock or flush as SQLite needs: use a local disk" }],
  [0xfe534d42, { name: "smb", problem: "does not lock or flush as SQLite needs: use a local disk" }],
  [0x01021997, { name: "9p", problem: "is shared by a virtual machine, and may not flush: use a disk of its own" }],
  [0x65735546, { name: "fuse", problem: "may not lock or flush as SQLite needs: use a local disk" }],
  [0x00c36400, { name: "ceph", problem: "does not lock or flush as SQLite needs: use a local disk" }],
]);

/** Checks the file system by its magic number. */
export function fileSystemCheck(
  magic: number,
  traits: { readonly ignoresCase: boolean; readonly noexec: boolean },
): Check {
  const { name, problem } = FILE_SYSTEMS.get(magic) ?? { name: `type 0x${magic.toString(16)}` };
  const notes = [...(traits.ignoresCase ? ["ignores case"] : []), ...(traits.noexec ? ["noexec"] : [])];
  const found = [name, ...notes].join(", ");
  if (problem !== undefined) return warn("file system", found, `${name} ${problem}`);
  if (traits.noexec) return warn("file system", found, "programs of `keelson envtest` cannot run from here");
  return ok("file system", found);
}

/** With slower flushes every write is slow. */
const GOOD_FLUSH_MS = 20;

/** Checks how long it takes until a write is on the disk, in ms. */
export function flushCheck(millis: number): Check {
  const found = `${millis < 10 ? millis.toFixed(1) : millis.toFixed(0)} ms for each`;
  if (millis < 0.02)
    return warn("write and flush", found, "too fast for a disk: a power cut may lose acknowledged writes");
  return millis > GOOD_FLUSH_MS
    ? warn("write and flush", found, "every write waits for a flush: use a faster disk, or --store memory in tests")
    : ok("write and flush", found);
}

/** Whether the mount point of a path has the option noexec, by `/proc/mounts`. */
export function isNoexec(mounts: string | undefined, path: string): boolean {
  const points = (mounts ?? "").split("\n").flatMap((line) => {
    const [, point = "", , options = ""] = line.split(" ");
    const folder = point.replaceAll("\\040", " ");
    const holds = folder === "/" || path === folder || path.startsWith(`${folder}/`);
    return holds ? [{ folder, options: options.split(",") }] : [];
  });
  // The last mount on a folder is the visible one.
  const last = points.toReversed().toSorted((a, b) => b.folder.length - a.folder.length)[0];
  return last?.options.includes("noexec") ?? false;
}
