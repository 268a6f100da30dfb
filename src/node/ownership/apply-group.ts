/**
 * Gives the files of a volume to the group of a Pod (NODE-39, NODE-40).
 *
 * Everything is reached through directories that are held open, and changed through places that are: a Pod that swaps a directory
 * for a link meanwhile does not lead the change out of its volume. The root comes last, so that a change that was broken off is
 * not taken for done (NODE-40). What else is mounted inside is left alone.
 *
 * @module
 */
import type { BigIntStats } from "node:fs";
import { chmod, chown, lchown, lstat } from "node:fs/promises";
import { FewAtOnce } from "../mounts/few-at-once.ts";
import { HeldDirectory, type Name, codeOf, shownName } from "../mounts/held-directory.ts";

/** Which group, and how. */
export interface GroupWish {
  readonly gid: number;
  /** Whether the Pod only reads: the group gets no right to write. */
  readonly readOnly?: boolean;
  /** `fsGroupChangePolicy` of the Pod; `Always` where it says nothing. */
  readonly changePolicy?: string | undefined;
}

/** How much at a time, and until when. */
export interface GroupOptions {
  /** So many files are changed at the same time. */
  readonly atOnce?: number;
  readonly signal?: AbortSignal | undefined;
}

const AT_ONCE = 8;
/** The deepest directory, counted from the root: each level above it is held open. */
const DEEPEST = 1000;

const SET_GROUP = 0o2000;
const MODES = 0o7777;

/** Bits that are added, as NODE-39 says. */
const gained = (isDirectory: boolean, readOnly: boolean): number =>
  (readOnly ? 0o440 : 0o660) | (isDirectory ? SET_GROUP | 0o110 : 0);

/** Whether something has the group and the bits already. */
function isDone(stats: BigIntStats, { gid, readOnly = false }: GroupWish): boolean {
  const bits = gained(stats.isDirectory(), readOnly);
  return Number(stats.gid) === gid && (Number(stats.mode) & bits) === bits;
}

/**
 * Gives a volume to a group: a directory with all in it, or a single file.
 *
 * @throws an error that names the file; what was changed before stays changed, and a second try goes on
 */
export async function applyGroup(path: string, wish: GroupWish, options: GroupOptions = {}): Promise<void> {
  const stats = await lstat(path, { bigint: true });
  if (wish.changePolicy === "OnRootMismatch" && isDone(stats, wish)) return;
  if (!stats.isDirectory()) {
    await changeAt(path, stats, wish).catch((error: unknown) => fail(path, error));
    return;
  }
  const root = await HeldDirectory.open(path);
  try {
    await changeTree(root, { ...options, wish, mount: await root.mountId() }, 0);
  } finally {
    await root.close();
  }
}

interface Change extends GroupOptions {
  readonly wish: GroupWish;
  readonly mount: string;
}

/** All in a directory, and then itself. */
async function changeTree(directory: HeldDirectory, change: Change, depth: number): Promise<void> {
  if (depth > DEEPEST)
    throw new Error(`${directory.shown} lies deeper than ${DEEPEST} directories: its group is not changed`);
  const files = new FewAtOnce(change.atOnce ?? AT_ONCE);
  try {
    for await (const { name, isDirectory } of directory.entries()) {
      change.signal?.throwIfAborted();
      if (isDirectory) await changeDirectory(directory, name, change, depth + 1);
      else await files.begin(() => changeFile(directory, name, change.wish));
    }
  } finally {
    await files.end();
  }
  const stats = await directory.stats();
  if (isDone(stats, change.wish)) return;
  try {
    await directory.chown(-1, change.wish.gid);
    await directory.chmod((Number(stats.mode) & MODES) | gained(true, change.wish.readOnly ?? false));
  } catch (error) {
    fail(directory.shown, error);
  }
}

async function changeDirectory(parent: HeldDirectory, name: Name, change: Change, depth: number): Promise<void> {
  const directory = await parent.directory(name).catch((error: unknown) => ignoreGone(parent, name, error));
  if (!directory) return;
  try {
    if ((await directory.mountId()) === change.mount) await changeTree(directory, change, depth);
  } finally {
    await directory.close();
  }
}

async function changeFile(directory: HeldDirectory, name: Name, wish: GroupWish): Promise<void> {
  try {
    const path = directory.at(name);
    const stats = await lstat(path, { bigint: true });
    if (isDone(stats, wish)) return;
    if (stats.isSymbolicLink()) {
      if (Number(stats.gid) !== wish.gid) await lchown(path, -1, wish.gid);
      return;
    }
    const place = await directory.place(name);
    try {
      const held = await place.handle.stat({ bigint: true });
      // Swapped for a link meanwhile: whoever did that may keep it.
      if (!held.isSymbolicLink()) await changeAt(place.path, held, wish);
    } finally {
      await place.handle.close();
    }
  } catch (error) {
    ignoreGone(directory, name, error);
  }
}

/** Changing the group takes bits away from programs, which the second step gives back. */
async function changeAt(
  path: string | Buffer,
  stats: BigIntStats,
  { gid, readOnly = false }: GroupWish,
): Promise<void> {
  await chown(path, -1, gid);
  await chmod(path, (Number(stats.mode) & MODES) | gained(stats.isDirectory(), readOnly));
}

function ignoreGone(directory: HeldDirectory, name: Name, error: unknown): undefined {
  if (["ENOENT", "ELOOP", "ENOTDIR"].includes(codeOf(error) ?? "")) return undefined;
  return fail(`${directory.shown}/${shownName(name)}`, error);
}

function fail(path: string, error: unknown): never {
  throw new Error(`the group of ${path} was not changed: ${(error as Error).message}`, { cause: error });
}
