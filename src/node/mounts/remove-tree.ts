/**
 * Removes a directory with its content, but never through a mount or a link (NODE-9).
 *
 * A mount at or below it ends the removal before the first file is removed. A later mount is not entered either: each
 * directory is opened and its mount is checked before it is read, and the kernel does not remove a mount point. All paths
 * lead through open directories, so a directory that is swapped for a link does not lead the removal elsewhere.
 *
 * @module
 */
import { lstat, rename, rmdir, unlink } from "node:fs/promises";
import type { Mounter } from "../contract.ts";
import { BoundedWork } from "./bounded-work.ts";
import { HeldDirectory, type Name, ignoreMissing, shownName } from "./held-directory.ts";
import { codeOf, messageOf } from "../../util/error.ts";

/** The error of a directory that cannot be removed because of a mount in it. */
export class StillMounted extends Error {
  override readonly name = "StillMounted";
}

/** Files that are removed at once. */
const MAX_AT_ONCE = 8;
/** Directories that are open at once: a deeper one is first moved to the top. */
const MAX_OPEN_DEPTH = 32;
/** How often a directory is read that others write into meanwhile. */
const MAX_ROUNDS = 10;

interface Removal {
  readonly top: HeldDirectory;
  readonly mount: string;
  /** How many directories were moved to the top; numbers their names. */
  moved: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Removes a directory with its content, a file, or a link itself, if it exists. The directories above it must be the
 * agent's own.
 *
 * @throws StillMounted for a mount at it or below; nothing was removed then, unless it was mounted meanwhile
 */
export async function removeTree(path: string, mounter: Pick<Mounter, "mounts">, signal?: AbortSignal): Promise<void> {
  if (await isEmptied(path)) return;
  const stats = await lstat(path).catch(ignoreMissing);
  if (!stats) return;
  if (!stats.isDirectory()) {
    await unlink(path).catch(ignoreMissing);
    return;
  }
  const [mounted] = await mounter.mounts(path);
  if (mounted) throw new StillMounted(`${path} is not removed: ${mounted.type} is mounted at ${mounted.path}`);
  const top = await HeldDirectory.open(path);
  try {
    await remove(top, path, { top, mount: await top.mountId(), moved: 0, signal });
  } finally {
    await top.close();
  }
}

/** Removes an empty directory; false for anything else. The kernel refuses a directory with content, and a mount point. */
const isEmptied = (path: string | Buffer): Promise<boolean> =>
  rmdir(path).then(
    () => true,
    (error: unknown) => codeOf(error) === "ENOENT",
  );

/** Removes a directory with its content. */
async function remove(directory: HeldDirectory, path: string | Buffer, removal: Removal, depth = 0): Promise<void> {
  for (let rounds = 0; rounds < MAX_ROUNDS; rounds++) {
    const { moved } = removal;
    await sweep(directory, removal, depth);
    if (await isRemoved(path)) return;
    // The next round finds directories that were moved to the top, however often that happens.
    if (removal.moved > moved) rounds = 0;
  }
  throw new Error(`${directory.shown} is not removed: others write into it`);
}

/** Removes an empty directory; false where it has content. The next round removes anything else. */
const isRemoved = (path: string | Buffer): Promise<boolean> =>
  rmdir(path).then(
    () => true,
    (error: unknown) => {
      if (["ENOTEMPTY", "EEXIST"].includes(codeOf(error) ?? "")) return false;
      ignoreMissing(error);
      return true;
    },
  );

/** Removes all entries of a directory once. */
async function sweep(directory: HeldDirectory, removal: Removal, depth: number): Promise<void> {
  const files = new BoundedWork(MAX_AT_ONCE);
  try {
    for await (const { name, isDirectory } of directory.entries()) {
      removal.signal?.throwIfAborted();
      if (isDirectory) await removeDirectory(directory, name, removal, depth + 1);
      else await files.begin(() => removeFile(directory, name));
    }
  } finally {
    await files.end();
  }
}

async function removeFile(directory: HeldDirectory, name: Name): Promise<void> {
  try {
    await unlink(directory.at(name));
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "EISDIR") return;
    throw failure(directory, name, error);
  }
}

async function removeDirectory(parent: HeldDirectory, name: Name, removal: Removal, depth: number): Promise<void> {
  if (await isEmptied(parent.at(name))) return;
  if (depth > MAX_OPEN_DEPTH && (await moveToTop(parent, name, removal))) return;
  const directory = await parent.directory(name).catch((error: unknown) => {
    // It is something else now, which the next round removes.
    if (["ENOENT", "ENOTDIR", "ELOOP"].includes(codeOf(error) ?? "")) return undefined;
    throw failure(parent, name, error);
  });
  if (!directory) return;
  try {
    if ((await directory.mountId()) !== removal.mount) {
      throw new StillMounted(`${removal.top.shown} is not removed: something is mounted at ${directory.shown}`);
    }
    await remove(directory, parent.at(name), removal, depth);
  } catch (error) {
    throw codeOf(error) === undefined ? error : failure(parent, name, error);
  } finally {
    await directory.close();
  }
}

/** Moves a deep directory to the top, where the next round finds it; false where that fails. */
async function moveToTop(parent: HeldDirectory, name: Name, removal: Removal): Promise<boolean> {
  const path = removal.top.at(Buffer.from(`.removed-${process.pid}-${removal.moved++}`));
  return rename(parent.at(name), path).then(
    () => true,
    () => false,
  );
}

const failure = (directory: HeldDirectory, name: Name, error: unknown): Error =>
  codeOf(error) === "EBUSY"
    ? new StillMounted(`${directory.shown}/${shownName(name)} is not removed: something is mounted there`)
    : new Error(`${directory.shown}/${shownName(name)} is not removed: ${messageOf(error)}`, { cause: error });
