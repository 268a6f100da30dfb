/**
 * Removes a directory with all in it, but never through a mount or a link (NODE-9).
 *
 * A mount at or below it ends everything before the first file goes. One that appears later is not gone into either: each
 * directory is held open and asked for its mount before it is read, and the kernel does not remove what something is mounted at.
 * What is removed is reached through the directory that is held, so that nobody who swaps a directory for a link meanwhile leads
 * the removal elsewhere.
 *
 * @module
 */
import { lstat, rename, rmdir, unlink } from "node:fs/promises";
import type { Mounter } from "../contract.ts";
import { FewAtOnce } from "./few-at-once.ts";
import { HeldDirectory, type Name, codeOf, ignoreMissing, shownName } from "./held-directory.ts";

/** A directory that cannot be removed because something is mounted in it. */
export class StillMounted extends Error {
  override readonly name = "StillMounted";
}

/** So many files go at the same time. */
const AT_ONCE = 8;
/** Directories that lie deeper are first moved to the top: no more than this are held open at a time. */
const DEEPEST = 32;
/** A directory that others write into meanwhile is read again so often. */
const ROUNDS = 10;

interface Removal {
  readonly top: HeldDirectory;
  readonly mount: string;
  /** Moved to the top so far; numbers their names. */
  moved: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Removes what stands at a path: a directory with all that is in it, a file, or a link itself. Nothing there is well, too. The
 * directories above it must be the agent's own.
 *
 * @throws StillMounted where something is mounted at it or below: nothing was removed then, unless it was mounted meanwhile
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

/**
 * Removes a directory that is empty; false where that is not what stands there. The kernel leaves alone what has something in it or is
 * a place for a mount, so that nothing has to be known before.
 */
const isEmptied = (path: string | Buffer): Promise<boolean> =>
  rmdir(path).then(
    () => true,
    (error: unknown) => codeOf(error) === "ENOENT",
  );

/** Removes a directory, by its path, with all in it. */
async function remove(directory: HeldDirectory, path: string | Buffer, removal: Removal, depth = 0): Promise<void> {
  for (let rounds = 0; rounds < ROUNDS; rounds++) {
    const { moved } = removal;
    await sweep(directory, removal, depth);
    if (await isRemoved(path)) return;
    // What came up from below is found in the next round, however often that happens.
    if (removal.moved > moved) rounds = 0;
  }
  throw new Error(`${directory.shown} is not removed: others write into it`);
}

/** Removes an empty directory; false where something is in it. What else stands there by now is for the next look. */
const isRemoved = (path: string | Buffer): Promise<boolean> =>
  rmdir(path).then(
    () => true,
    (error: unknown) => {
      if (["ENOTEMPTY", "EEXIST"].includes(codeOf(error) ?? "")) return false;
      ignoreMissing(error);
      return true;
    },
  );

/** One look at all names of a directory. */
async function sweep(directory: HeldDirectory, removal: Removal, depth: number): Promise<void> {
  const files = new FewAtOnce(AT_ONCE);
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
  if (depth > DEEPEST && (await moveToTop(parent, name, removal))) return;
  const directory = await parent.directory(name).catch((error: unknown) => {
    // It has become something else, which the next look removes.
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

/** A directory that lies deep becomes one of the top, where a later look finds it; false where it does not move. */
async function moveToTop(parent: HeldDirectory, name: Name, removal: Removal): Promise<boolean> {
  const place = removal.top.at(Buffer.from(`.removed-${process.pid}-${removal.moved++}`));
  return rename(parent.at(name), place).then(
    () => true,
    () => false,
  );
}

const failure = (directory: HeldDirectory, name: Name, error: unknown): Error =>
  codeOf(error) === "EBUSY"
    ? new StillMounted(`${directory.shown}/${shownName(name)} is not removed: something is mounted there`)
    : new Error(`${directory.shown}/${shownName(name)} is not removed: ${(error as Error).message}`, { cause: error });
