/**
 * Mounts a part of a volume for a container (NODE-68, NODE-69).
 *
 *     ROOT/pods/UID/volume-subpaths/VOLUME/CONTAINER/NUMBER   what the container is given
 *
 * @module
 */
import { lstat, mkdir, open, readdir, rmdir, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Mounter } from "../contract.ts";
import { codeOf, ignoreMissing } from "../mounts/held-directory.ts";
import { pathPart, podDirectory } from "../paths.ts";
import { resolveSubPath } from "./resolve.ts";

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
 * Mounts a part of a volume at its target, and returns the target. What is mounted there already stays: a container keeps the
 * contents of its start (NODE-69). Without the right to mount the target is a link to where the part was found, and what becomes of
 * its name afterwards is in the hands of the containers.
 *
 * @throws SubPathError where the path leads out of the volume or nowhere
 */
export async function mountSubPath(mount: SubPathMount, mounter: Mounter): Promise<string> {
  const { volume, subPath, target, readOnly = false } = mount;
  if (await mounter.isMountPoint(target)) return target;
  const part = await resolveSubPath(volume, subPath);
  try {
    await makePlace(target, part.isDirectory);
    await mounter.bind(part.path, target, { readOnly });
  } finally {
    await part.close();
  }
  return target;
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

/** Never more than what {@link makePlace} has made: a directory that is not empty stays. */
async function removePlace(path: string): Promise<void> {
  const stats = await lstat(path).catch(ignoreMissing);
  if (!stats) return;
  if (!stats.isDirectory()) {
    if (stats.isFile() && stats.size > 0) throw new Error(`${path} is a file that is not empty: it stays`);
    await unlink(path);
    return;
  }
  await rmdir(path).catch((error: unknown) => {
    throw codeOf(error) === "ENOTEMPTY" ? new Error(`${path} is not empty: it stays`) : error;
  });
}
