/**
 * What stands at the places of volumes, and how what is left there goes.
 *
 * Nothing is ever removed that holds something, and nothing that is mounted (NODE-9, NODE-19).
 *
 * @module
 */
import type { Stats } from "node:fs";
import { lstat, readdir, rmdir, unlink } from "node:fs/promises";
import { type Mounter, VolumeError } from "../contract.ts";
import { ignoreMissing } from "../mounts/held-directory.ts";

export { ignoreMissing } from "../mounts/held-directory.ts";

/** What stood at a place after a call: a mount, something else, or nothing. */
export type Seen = "mount" | "path" | "none";

/** What stands at a path. What cannot be looked at, as when whoever served it is gone, is a mount. */
export async function seenAt(path: string, mounter: Pick<Mounter, "isMountPoint">): Promise<Seen> {
  try {
    const found = await statsOf(path);
    if (!found) return "none";
    return (await mounter.isMountPoint(path)) ? "mount" : "path";
  } catch {
    return "mount";
  }
}

/** Whether what was seen is still there: a mount that became a directory is gone. */
export async function isStillThere(seen: Seen, path: string, mounter: Pick<Mounter, "isMountPoint">): Promise<boolean> {
  if (seen === "none") return true;
  const now = await seenAt(path, mounter);
  return now === "mount" || now === seen;
}

const statsOf = (path: string): Promise<Stats | undefined> => lstat(path).catch(ignoreMissing);

/** Whether a directory is as it was made: empty, and nothing is mounted on it. */
export async function isUntouched(path: string, mounter: Pick<Mounter, "isMountPoint">): Promise<boolean> {
  const seen = await seenAt(path, mounter);
  if (seen !== "path") return seen === "none";
  const found = await statsOf(path);
  return found?.isDirectory() === true && (await readdir(path)).length === 0;
}

/**
 * Removes what a driver has left: an empty directory, a link, an empty file, a device.
 *
 * @throws VolumeError where something is mounted there, or in it
 */
export async function removeLeft(path: string, mounter: Pick<Mounter, "isMountPoint">): Promise<void> {
  const seen = await seenAt(path, mounter);
  if (seen === "none") return;
  if (seen === "mount") throw new VolumeError(`expected ${path} not to be mounted any more, it is`);
  const found = await statsOf(path);
  if (!found) return;
  if (found.isDirectory()) return removeEmpty(path);
  if (found.isFile() && found.size > 0) throw new VolumeError(`expected the driver to remove the file ${path}`);
  await unlink(path).catch(ignoreMissing);
}

/** Removes a directory that is to be empty. @throws VolumeError where it is not */
export async function removeEmpty(path: string): Promise<void> {
  try {
    await rmdir(path).catch(ignoreMissing);
  } catch (error) {
    if (isOccupied(error)) throw new VolumeError(`expected ${path} to be empty, something is left in it`);
    throw error;
  }
}

/** Removes a directory unless something is in it. */
export async function removeIfEmpty(path: string): Promise<void> {
  await rmdir(path).catch((error: unknown) => (isOccupied(error) ? undefined : ignoreMissing(error)));
}

const isOccupied = (error: unknown): boolean =>
  ["ENOTEMPTY", "EEXIST", "EBUSY"].includes((error as NodeJS.ErrnoException).code ?? "");
