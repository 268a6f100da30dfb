/**
 * Mounts a part of a volume for a container (NODE-68, NODE-69).
 *
 *     ROOT/pods/UID/volume-subpaths/VOLUME/CONTAINER/NUMBER   what the container is given
 *
 * @module
 */
import { link, lstat, mkdir, open, readdir, readlink, rmdir, stat, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Mounter } from "../contract.ts";
import { codeOf, ignoreMissing } from "../mounts/held-directory.ts";
import { pathPart, podDirectory } from "../paths.ts";
import { type Resolved, SubPathError, resolveSubPath } from "./resolve.ts";

/** Which part of which volume, and for which mount of a container. */
export interface SubPathMount {
  /** What {@link MadeVolume.source} was. */
  readonly volume: string;
  /** As it is after variables were put in. */
  readonly subPath: string;
  /** Where the part appears: {@link subPathTarget}. */
  readonly target: string;
  readonly readOnly?: boolean;
}

/** Where a mount of a container by subPath appears: its volume, its container, its number among the container's mounts. */
export const subPathTarget = (
  root: string,
  podUid: string,
  [volume, container, number]: readonly [string, string, number],
): string => join(subPathsOf(root, podUid), pathPart(volume), pathPart(container), String(number));

const subPathsOf = (root: string, podUid: string): string => join(podDirectory(root, podUid), "volume-subpaths");

/**
 * Mounts a part of a volume at its target, and returns the target. It is called at each start of a container: what was mounted for the
 * start before may be gone from the volume by now, so it is taken away where it is something else, and the part that the path leads to
 * now is mounted (NODE-69).
 *
 * Without the right to mount a file has one more name at the target, and keeps its contents when the volume's name for it leads
 * elsewhere. A directory, and a file of another file system, is a link to where it was found.
 *
 * @throws SubPathError where the path leads out of the volume or nowhere
 */
export async function mountSubPath(mount: SubPathMount, mounter: Mounter): Promise<string> {
  const { volume, subPath, target, readOnly = false } = mount;
  const part = await resolveSubPath(volume, subPath);
  try {
    if (await mounter.isMountPoint(target)) {
      if (mounter.canMount && (await isSame(part.path, target))) return target;
      await mounter.unmount(target);
    }
    if (!mounter.canMount && !part.isDirectory && (await nameAgain(part, target))) return target;
    await makePlace(target, part.isDirectory);
    await mounter.bind(part.path, target, { readOnly });
  } finally {
    await part.close();
  }
  return target;
}

/** Whether two paths lead to the same file or directory; one that does not answer is not the same. */
async function isSame(a: string, b: string): Promise<boolean> {
  const [one, other] = await Promise.all([a, b].map((path) => stat(path, { bigint: true }).catch(() => undefined)));
  return one !== undefined && one.dev === other?.dev && one.ino === other.ino;
}

/** Gives a file one more name; answers whether its file system and its rights allow that. */
async function nameAgain({ path }: Resolved, target: string): Promise<boolean> {
  if (!(await stat(path)).isFile()) return false;
  await mkdir(dirname(target), { recursive: true, mode: 0o750 });
  await removePlace(target);
  const found = await readlink(path).catch(() => path);
  try {
    await link(found, target);
  } catch (error) {
    if (["EXDEV", "EPERM", "EACCES", "EMLINK", "ENOTSUP"].includes(codeOf(error) ?? "")) return false;
    throw error;
  }
  if (!(await lstat(target)).isSymbolicLink() && (await isSame(path, target))) return true;
  await unlink(target);
  throw new SubPathError(`${found} was changed while it was mounted by subPath: it is tried again`);
}

/** Takes all mounts by subPath of a Pod away, when its containers have stopped; done again harmlessly. */
export async function unmountSubPaths(root: string, podUid: string, mounter: Mounter): Promise<void> {
  const top = subPathsOf(root, podUid);
  for (const volume of await namesIn(top)) {
    for (const container of await namesIn(join(top, volume))) {
      for (const number of await namesIn(join(top, volume, container))) {
        const target = join(top, volume, container, number);
        await mounter.unmount(target);
        await removePlace(target);
      }
      await rmdir(join(top, volume, container));
    }
    await rmdir(join(top, volume));
  }
  await rmdir(top).catch(ignoreMissing);
}

const namesIn = async (path: string): Promise<string[]> => (await readdir(path).catch(ignoreMissing)) ?? [];

/** An empty directory or file, of the kind that can be bound at. */
async function makePlace(path: string, isDirectory: boolean): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o750 });
  const stats = await lstat(path).catch(ignoreMissing);
  if (stats && stats.isDirectory() === isDirectory && !stats.isSymbolicLink()) return;
  if (stats) await removePlace(path);
  if (isDirectory) await mkdir(path, { mode: 0o750 });
  else await (await open(path, "wx", 0o640)).close();
}

/** Never more than what was made here: a directory that is not empty stays. */
async function removePlace(path: string): Promise<void> {
  const stats = await lstat(path).catch(ignoreMissing);
  if (!stats) return;
  // A file here is an empty place, or one more name of a file; a file that is mounted over cannot be removed (EBUSY).
  if (!stats.isDirectory()) return unlink(path);
  await rmdir(path).catch((error: unknown) => {
    throw codeOf(error) === "ENOTEMPTY" ? new Error(`${path} is not empty: it stays`) : error;
  });
}
