/**
 * Mounts of this machine.
 *
 * @module
 */
import { mkdir, mkdtemp, readFile, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DriverError } from "../../csi/driver-error.ts";
import { type Mount, parseMountTable } from "../../util/mount-table.ts";
import { run } from "./command.ts";

/** All mounts, the oldest first; none where the machine has no mount table. */
export const mounts = async (): Promise<Mount[]> =>
  parseMountTable(await readFile("/proc/self/mountinfo", "utf8").catch(() => ""));

/** The topmost mount at a path. */
export const mountAt = async (path: string): Promise<Mount | undefined> =>
  (await mounts()).findLast((mount) => mount.path === path);

/** Bind-mounts a path at another one, which exists. */
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

/** Unmounts everything at a path. */
export async function unmount(path: string): Promise<void> {
  while (await mountAt(path)) await run("umount", path);
}

/** Whether this process may mount: it tries. */
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

/** Flags of every file system; others belong to one type and mean nothing for a directory. */
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

/** The flags of a bind mount. Throws `InvalidArgument` for other flags. */
export function directoryFlags(flags: readonly string[]): readonly string[] {
  const other = flags.find((flag) => !GENERAL.has(flag));
  if (other === undefined) return flags;
  throw new DriverError("InvalidArgument", `a directory cannot be mounted with ${other}`);
}
