/**
 * What is at the paths of volumes, and the removal of leftovers.
 *
 * Nothing with content is ever removed, and nothing that is mounted (NODE-9, NODE-19).
 *
 * @module
 */
import type { Stats } from "node:fs";
import { lstat, readdir, rmdir, unlink } from "node:fs/promises";
import { type Mounter, VolumeError } from "../contract.ts";
import { ignoreMissing } from "../mounts/held-directory.ts";
import { codeOf } from "../../util/error.ts";

export { ignoreMissing } from "../mounts/held-directory.ts";

/** What was at a path after a call. */
export type Seen = "mount" | "path" | "none";

/** What is at a path. A path that cannot be read, as after the server of a mount has died, counts as a mount. */
export async function seenAt(path: string, mounter: Pick<Mounter, "isMountPoint">): Promise<Seen> {
  try {
    const found = await statsOf(path);
    if (!found) return "none";
    return (await mounter.isMountPoint(path)) ? "mount" : "path";
  } catch {
    return "mount";
  }
}

/** Whether what was seen is still there: a directory in the place of a mount does not count. */
export async function isStillThere(seen: Seen, path: string, mounter: Pick<Mounter, "isMountPoint">): Promise<boolean> {
  if (seen === "none") return true;
  const now = await seenAt(path, mounter);
  return now === "mount" || now === seen;
}

const statsOf = (path: string): Promise<Stats | undefined> => lstat(path).catch(ignoreMissing);

/** Whether a directory is empty and nothing is mounted on it, or nothing is there. */
export async function isUntouched(path: string, mounter: Pick<Mounter, "isMountPoint">): Promise<boolean> {
  const seen = await seenAt(path, mounter);
  if (seen !== "path") return seen === "none";
  const found = await statsOf(path);
  return found?.isDirectory() === true && (await readdir(path)).length === 0;
}

/**
 * Removes what a driver has left: an empty directory, a link, an empty file, a device.
 *
 * @throws VolumeError for a mount, or for other content
 */
export async function removeLeft(path: string, mounter: Pick<Mounter, "isMountPoint">): Promise<void> {
  const seen = await seenAt(path, mounter);
  if (seen === "none") return;
  if (seen === "mount") throw new VolumeError(`expected ${path} not to be mounted any more`);
  const found = await statsOf(path);
  if (!found) return;
  if (found.isDirectory()) return removeEmpty(path);
  if (found.isFile() && found.size > 0) throw new VolumeError(`expected the driver to remove the file ${path}`);
  await unlink(path).catch(ignoreMissing);
}

/** Removes an empty directory. @throws VolumeError where it is not empty */
export async function removeEmpty(path: string): Promise<void> {
  try {
    await rmdir(path).catch(ignoreMissing);
  } catch (error) {
    if (isOccupied(error)) throw new VolumeError(`expected ${path} to be empty, found files in it`);
    throw error;
  }
}

/** Removes a directory unless it has content. */
export async function removeIfEmpty(path: string): Promise<void> {
  await rmdir(path).catch((error: unknown) => (isOccupied(error) ? undefined : ignoreMissing(error)));
}

const isOccupied = (error: unknown): boolean => ["ENOTEMPTY", "EEXIST", "EBUSY"].includes(codeOf(error) ?? "");
