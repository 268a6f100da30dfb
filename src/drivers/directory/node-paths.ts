/**
 * Volumes at paths of a node: what is mounted or linked there. Repeated calls change nothing, since each one looks at the
 * mounts of the machine.
 *
 * @module
 */
import { chmod, chown, lstat, mkdir, rmdir, stat, symlink, unlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DriverError } from "../../csi/driver-error.ts";
import { bind, mountAt, unmount } from "./mounts.ts";
import { type VolumeRecord, fileNameOf } from "./records.ts";
import type { Access } from "./requests.ts";
import type { DriverContext } from "./driver-context.ts";

/** Mounts a volume at a directory unless it is mounted; creates a block device; does nothing for links. */
export async function stageAt(
  { backing, volumes, mounts }: DriverContext,
  volume: VolumeRecord,
  path: string,
  access: Access,
): Promise<void> {
  const directory = volumes.directory(volume.id);
  if (volume.block) {
    await backing.device(directory);
    return;
  }
  if (!mounts) return;
  await mkdir(path, { recursive: true });
  if (!(await mountAt(path))) await backing.mount(directory, path, access);
}

/** Undoes {@link stageAt}. */
export async function unstageAt(
  { mounts, backing, volumes }: DriverContext,
  volume: VolumeRecord | undefined,
  path: string,
): Promise<void> {
  if (mounts) await unmount(path);
  if (volume?.block) await backing.release(volumes.directory(volume.id));
}

/** Where a volume is mounted that is not staged. */
const ownMount = ({ node }: DriverContext, { id }: VolumeRecord): string => join(node, "mounts", fileNameOf(id));

/** The directory or device to publish. A volume that needs a mount and is not staged is mounted for that. */
export async function sourceOf(
  context: DriverContext,
  volume: VolumeRecord,
  staged: string | undefined,
  access: Access,
): Promise<string> {
  const { backing, volumes, mounts } = context;
  const directory = volumes.directory(volume.id);
  if (volume.block) return backing.device(directory);
  if (mounts && staged !== undefined) return staged;
  const files = backing.files(directory);
  if (files !== undefined) return files;
  const own = ownMount(context, volume);
  await stageAt(context, volume, own, access);
  return own;
}

/** Undoes {@link sourceOf} for a volume that is not staged. */
export async function unmountSource(context: DriverContext, volume: VolumeRecord): Promise<void> {
  const own = ownMount(context, volume);
  await unstageAt(context, volume, own);
}

/** Makes a source appear at a path, which need not exist. */
export async function publishAt(
  { mounts }: DriverContext,
  source: string,
  path: string,
  block: boolean,
  flags: readonly string[],
): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  if (!mounts) {
    await rmdir(path).catch(() => {});
    await symlink(source, path);
    return;
  }
  if (await mountAt(path)) return;
  if (block) await writeFile(path, "", { flag: "a" });
  else await mkdir(path, { recursive: true });
  await bind(source, path, flags);
}

/** Whether there is a mount at a path, or a link where volumes are linked. */
export async function isPublishedAt({ mounts }: DriverContext, path: string): Promise<boolean> {
  if (mounts) return (await mountAt(path)) !== undefined;
  return (await lstat(path).catch(() => undefined))?.isSymbolicLink() ?? false;
}

/** Removes mounts or the link, and the path. Never removes the content of a directory. */
export async function unpublishAt({ mounts }: DriverContext, path: string): Promise<void> {
  if (mounts) await unmount(path);
  const found = await lstat(path).catch(() => undefined);
  if (!found) return;
  if (!found.isDirectory()) return unlink(path);
  try {
    await rmdir(path);
  } catch (error) {
    throw new DriverError("Internal", `${path} cannot be removed: ${String(error)}`);
  }
}

/** Gives a group the root of a volume with all rights, and all new files below it. */
export async function applyGroup(directory: string, group: number | undefined): Promise<void> {
  if (group === undefined) return;
  const { mode, uid } = await stat(directory);
  await chown(directory, uid, group);
  await chmod(directory, (mode & 0o7777) | 0o2070);
}
