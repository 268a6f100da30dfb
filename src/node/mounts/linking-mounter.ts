/**
 * Replaces mounts on a machine without the right to mount: links for bind mounts, directories for tmpfs.
 *
 * A link is never read-only, and a directory has no size limit and is on disk. `openMounter` logs a warning.
 *
 * @module
 */
import { chmod, lstat, mkdir, readlink, rmdir, symlink, unlink } from "node:fs/promises";
import { chown } from "node:fs/promises";
import type { Mounter } from "../contract.ts";
import type { Mount } from "../../util/mount-table.ts";
import { ignoreMissing } from "./held-directory.ts";
import { codeOf } from "../../util/error.ts";

/** A mounter that needs no rights; `machine` lists other mounts. */
export function linkingMounter(machine: Pick<Mounter, "mounts">): Mounter {
  const linkAt = async (path: string): Promise<string | undefined> => {
    const stats = await lstat(path).catch(ignoreMissing);
    return stats?.isSymbolicLink() ? readlink(path) : undefined;
  };
  return {
    canMount: false,
    async mounts(below) {
      const link = await linkAt(below);
      const own: Mount[] = link === undefined ? [] : [{ path: below, type: "link", source: link, options: [] }];
      return [...own, ...((await machine.mounts(below).catch(ignoreMissing)) ?? [])];
    },
    isMountPoint: async (path) => (await linkAt(path)) !== undefined,
    async bind(from, to) {
      // A path in /proc is valid only while a file is open.
      const target = /^\/proc\/[^/]+\/fd\/\d+$/.test(from) ? await readlink(from) : from;
      await removeMountPoint(to);
      await symlink(target, to);
    },
    async mount({ type, path, options = [] }) {
      if (type !== "tmpfs") throw new Error(`expected the right to mount for a mount of type ${type}`);
      await mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
        if (codeOf(error) !== "EEXIST") throw error;
      });
      const group = numberOf(options, "gid");
      // An agent that may not change groups runs as one user, who can read everything anyway.
      if (group !== undefined) await chown(path, -1, group).catch(ignoreForbidden);
      await chmod(path, numberOf(options, "mode", 8) ?? 0o700);
    },
    async unmount(path) {
      if ((await linkAt(path)) !== undefined) await unlink(path);
    },
  };
}

/** Removes an empty directory or file that is a mount point. */
async function removeMountPoint(path: string): Promise<void> {
  const stats = await lstat(path).catch(ignoreMissing);
  if (!stats) return;
  if (stats.isDirectory()) await rmdir(path);
  else if (stats.isSymbolicLink() || stats.size === 0) await unlink(path);
  else throw new Error(`expected ${path} to be an empty file: it is not empty, and no link replaces it`);
}

function numberOf(options: readonly string[], name: string, radix = 10): number | undefined {
  const option = options.find((one) => one.startsWith(`${name}=`));
  return option === undefined ? undefined : parseInt(option.slice(name.length + 1), radix);
}

function ignoreForbidden(error: unknown): void {
  if (codeOf(error) !== "EPERM") throw error;
}
