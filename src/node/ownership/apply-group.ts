/**
 * Applies the group of a Pod to the files of a volume (NODE-39, NODE-40).
 *
 * All paths lead through open directories and locations: a Pod that swaps a directory for a link does not lead the change
 * out of its volume. The root comes last, so that an interrupted change does not count as complete (NODE-40). Other mounts
 * in the volume are left alone.
 *
 * @module
 */
import type { BigIntStats } from "node:fs";
import { chmod, chown, lchown, lstat } from "node:fs/promises";
import { BoundedWork } from "../mounts/bounded-work.ts";
import { HeldDirectory, type Name, shownName } from "../mounts/held-directory.ts";
import { codeOf, messageOf } from "../../util/error.ts";

/** The desired group. */
export interface GroupWish {
  readonly gid: number;
  /** Whether the Pod only reads: the group gets no right to write. */
  readonly readOnly?: boolean;
  /** `fsGroupChangePolicy` of the Pod; `Always` by default. */
  readonly changePolicy?: string | undefined;
}

const MAX_AT_ONCE = 8;
/** The deepest directory below the root: each level above it is open. */
const MAX_DEPTH = 1000;

const SET_GROUP = 0o2000;
const MODES = 0o7777;

/** The bits that are added (NODE-39). */
const gained = (isDirectory: boolean, readOnly: boolean): number =>
  (readOnly ? 0o440 : 0o660) | (isDirectory ? SET_GROUP | 0o110 : 0);

/** Whether a file has the group and the bits. */
function isDone(stats: BigIntStats, { gid, readOnly = false }: GroupWish): boolean {
  const bits = gained(stats.isDirectory(), readOnly);
  return Number(stats.gid) === gid && (Number(stats.mode) & bits) === bits;
}

/**
 * Applies a group to a directory with its content, or to a single file.
 *
 * @throws an error that names the file; earlier changes stay, and a second call continues
 */
export async function applyGroup(
  path: string,
  wish: GroupWish,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<void> {
  const stats = await lstat(path, { bigint: true });
  if (wish.changePolicy === "OnRootMismatch" && isDone(stats, wish)) return;
  if (!stats.isDirectory()) {
    await changeAt(path, stats, wish).catch((error: unknown) => fail(path, error));
    return;
  }
  const root = await HeldDirectory.open(path);
  try {
    await changeTree(root, { signal, wish, mount: await root.mountId() }, 0);
  } finally {
    await root.close();
  }
}

interface Change {
  readonly signal: AbortSignal | undefined;
  readonly wish: GroupWish;
  readonly mount: string;
}

/** Changes the content of a directory, then the directory. */
async function changeTree(directory: HeldDirectory, change: Change, depth: number): Promise<void> {
  if (depth > MAX_DEPTH) throw new Error(`expected ${directory.shown} to be at most ${MAX_DEPTH} directories deep`);
  const files = new BoundedWork(MAX_AT_ONCE);
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
    const location = await directory.location(name);
    try {
      const held = await location.handle.stat({ bigint: true });
      // It may be a link now, which stays as it is.
      if (!held.isSymbolicLink()) await changeAt(location.path, held, wish);
    } finally {
      await location.handle.close();
    }
  } catch (error) {
    ignoreGone(directory, name, error);
  }
}

/** Changing the group removes bits of programs, which the second step restores. */
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
  throw new Error(`the group of ${path} was not changed: ${messageOf(error)}`, { cause: error });
}
