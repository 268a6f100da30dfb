/**
 * What is mounted on this machine, and mounting.
 *
 * @module
 */
import { mkdir, mkdtemp, readFile, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DriverError } from "../../csi/driver-error.ts";
import { type Mount, parseMountTable } from "../../util/mount-table.ts";
import { run } from "./command.ts";

/** What is mounted, the oldest first; nothing where the machine has no such list. */
export const mounts = async (): Promise<Mount[]> =>
  parseMountTable(await readFile("/proc/self/mountinfo", "utf8").catch(() => ""));

/** What is mounted at a path, on top of all else there. */
export const mountAt = async (path: string): Promise<Mount | undefined> =>
  (await mounts()).findLast((mount) => mount.path === path);

/** Makes what is at one path appear at another; the other is there. */
export async function bind(from: string, to: string, flags: readonly string[]): Promise<void> {
  await run("mount", "--bind", from, to);
  if (flags.length === 0) return;
  try {
    await run("mount", "-o", ["remount", "bind", ...flags].join(","), to);
  } catch (error) {
    await run("umount", to);
    throw error;
  }
}

/** Takes away all that is mounted at a path. */
export async function unmount(path: string): Promise<void> {
  while (await mountAt(path)) await run("umount", path);
}

/** Whether this process may mount: found out by doing it. */
export async function canMount(): Promise<boolean> {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false;
  const probe = await mkdtemp(join(tmpdir(), "keelson-mount-"));
  const [from, to] = [join(probe, "from"), join(probe, "to")];
  await mkdir(from);
  await mkdir(to);
  try {
    await run("mount", "--bind", from, to);
    await run("umount", to);
    return true;
  } catch {
    return false;
  } finally {
    await rmdir(to);
    await rmdir(from);
    await rmdir(probe);
  }
}

/** Flags that say how any file system is used; others are of one type and mean nothing to a directory. */
const GENERAL = new Set([
  "ro",
  "rw",
  "nosuid",
  "nodev",
  "noexec",
  "noatime",
  "nodiratime",
  "relatime",
  "norelatime",
  "suid",
  "dev",
  "exec",
]);

/** The flags of a request for something that is a directory already. Throws `InvalidArgument` for others. */
export function directoryFlags(flags: readonly string[]): readonly string[] {
  const strange = flags.find((flag) => !GENERAL.has(flag));
  if (strange === undefined) return flags;
  throw new DriverError("InvalidArgument", `a directory cannot be mounted with ${strange}`);
}
