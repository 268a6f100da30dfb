/**
 * Mounts a part of a volume for a container (NODE-68, NODE-69).
 *
 *     ROOT/pods/UID/volume-subpaths/VOLUME/CONTAINER/NUMBER   the mount
 *
 * @module
 */
import { link, lstat, mkdir, open, readdir, readlink, rmdir, stat, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Mounter } from "../contract.ts";
import { ignoreMissing } from "../mounts/held-directory.ts";
import { pathPart, podDirectory } from "../paths.ts";
import { type Resolved, SubPathError, resolveSubPath } from "./resolve.ts";
import { codeOf } from "../../util/error.ts";

/** A part of a volume for a container. */
export interface SubPathMount {
  /** The {@link MadeVolume.source}. */
  readonly volume: string;
  /** With variables expanded. */
  readonly subPath: string;
  /** The path of the mount: {@link subPathTarget}. */
  readonly target: string;
  readonly readOnly?: boolean;
}

/** The path of a subPath mount: of its volume, its container, and its number among the container's mounts. */
export const subPathTarget = (
  root: string,
  podUid: string,
  [volume, container, number]: readonly [string, string, number],
): string => join(subPathsOf(root, podUid), pathPart(volume), pathPart(container), String(number));

const subPathsOf = (root: string, podUid: string): string => join(podDirectory(root, podUid), "volume-subpaths");

/**
 * Mounts a part of a volume at its target, and returns the target; called at each start of a container. The path may lead
 * to another part than at the last start, which is mounted then (NODE-69).
 *
 * Without the right to mount, a file gets a hard link at the target, and keeps its content when the volume has another file
 * of that name. A directory, and a file of another file system, gets a symbolic link.
 *
 * @throws SubPathError where the path leads out of the volume, or to nothing
 */
export async function mountSubPath(mount: SubPathMount, mounter: Mounter): Promise<string> {
  const { volume, subPath, target, readOnly = false } = mount;
  const part = await resolveSubPath(volume, subPath);
  try {
    if (await mounter.isMountPoint(target)) {
      if (mounter.canMount && (await isSame(part.path, target))) return target;
      await mounter.unmount(target);
    }
    if (!mounter.canMount && !part.isDirectory && (await hardLink(part, target))) return target;
    await makeMountPoint(target, part.isDirectory);
    await mounter.bind(part.path, target, { readOnly });
  } finally {
    await part.close();
  }
  return target;
}

/** Whether two paths lead to the same file or directory; false where one cannot be read. */
async function isSame(a: string, b: string): Promise<boolean> {
  const [one, other] = await Promise.all([a, b].map((path) => stat(path, { bigint: true }).catch(() => undefined)));
  return one !== undefined && one.dev === other?.dev && one.ino === other.ino;
}

/** Creates a hard link; false where file system or rights do not permit it. */
async function hardLink({ path }: Resolved, target: string): Promise<boolean> {
  if (!(await stat(path)).isFile()) return false;
  await mkdir(dirname(target), { recursive: true, mode: 0o750 });
  await removeTarget(target);
  const found = await readlink(path).catch(() => path);
  try {
    await link(found, target);
  } catch (error) {
    if (["EXDEV", "EPERM", "EACCES", "EMLINK", "ENOTSUP"].includes(codeOf(error) ?? "")) return false;
    throw error;
  }
  if (!(await lstat(target)).isSymbolicLink() && (await isSame(path, target))) return true;
  await unlink(target);
  throw new SubPathError(`${found} was changed while it was mounted by subPath, which is tried again`);
}

/** Unmounts all subPath mounts of a Pod whose containers have stopped. */
export async function unmountSubPaths(root: string, podUid: string, mounter: Mounter): Promise<void> {
  const top = subPathsOf(root, podUid);
  for (const volume of await namesIn(top)) {
    for (const container of await namesIn(join(top, volume))) {
      for (const number of await namesIn(join(top, volume, container))) {
        const target = join(top, volume, container, number);
        await mounter.unmount(target);
        await removeTarget(target);
      }
      await rmdir(join(top, volume, container));
    }
    await rmdir(join(top, volume));
  }
  await rmdir(top).catch(ignoreMissing);
}

const namesIn = async (path: string): Promise<string[]> => (await readdir(path).catch(ignoreMissing)) ?? [];

/** Creates an empty directory or file for a bind mount. */
async function makeMountPoint(path: string, isDirectory: boolean): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o750 });
  const stats = await lstat(path).catch(ignoreMissing);
  if (stats && stats.isDirectory() === isDirectory && !stats.isSymbolicLink()) return;
  if (stats) await removeTarget(path);
  if (isDirectory) await mkdir(path, { mode: 0o750 });
  else await (await open(path, "wx", 0o640)).close();
}

/** Removes an empty directory, or a file; a directory with content stays. */
async function removeTarget(path: string): Promise<void> {
  const stats = await lstat(path).catch(ignoreMissing);
  if (!stats) return;
  // A file is empty, or a hard link. A file with a mount on it cannot be removed (EBUSY).
  if (!stats.isDirectory()) return unlink(path);
  await rmdir(path).catch((error: unknown) => {
    throw codeOf(error) === "ENOTEMPTY" ? new Error(`${path} is not empty: it stays`) : error;
  });
}
