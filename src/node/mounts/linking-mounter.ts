/**
 * What stands for mounts on a machine where none can be made: links for binds, directories for file systems in memory.
 *
 * A link is never read-only, a directory has no limit and is on disk: whoever begins to use this says so.
 *
 * @module
 */
import { chmod, lstat, mkdir, readlink, rmdir, symlink, unlink } from "node:fs/promises";
import { chown } from "node:fs/promises";
import type { Mounter } from "../contract.ts";
import type { Mount } from "../../util/mount-table.ts";
import { codeOf, ignoreMissing } from "./held-directory.ts";

/** A mounter that needs no rights; `of` lists what others have mounted. */
export function linkingMounter(of: Pick<Mounter, "mounts">): Mounter {
  const linkAt = async (path: string): Promise<string | undefined> => {
    const stats = await lstat(path).catch(ignoreMissing);
    return stats?.isSymbolicLink() ? readlink(path) : undefined;
  };
  return {
    canMount: false,
    async mounts(below) {
      const link = await linkAt(below);
      const own: Mount[] = link === undefined ? [] : [{ path: below, type: "link", source: link, options: [] }];
      return [...own, ...((await of.mounts(below).catch(ignoreMissing)) ?? [])];
    },
    isMountPoint: async (path) => (await linkAt(path)) !== undefined,
    async bind(from, to) {
      // What is held open has a path of its own; a link to the number would lead nowhere soon.
      const target = /^\/proc\/[^/]+\/fd\/\d+$/.test(from) ? await readlink(from) : from;
      await removePlace(to);
      await symlink(target, to);
    },
    async mount({ type, path, options = [] }) {
      if (type !== "tmpfs") throw new Error(`mounts of type ${type} need the right to mount, which this agent has not`);
      await mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
        if (codeOf(error) !== "EEXIST") throw error;
      });
      const group = numberOf(options, "gid");
      // Where groups may not be given, the agent runs for one user, who can read everything anyway.
      if (group !== undefined) await chown(path, -1, group).catch(ignoreForbidden);
      await chmod(path, numberOf(options, "mode", 8) ?? 0o700);
    },
    async unmount(path) {
      if ((await linkAt(path)) !== undefined) await unlink(path);
    },
  };
}

/** Where a link is to be: an empty directory or file that was made as a place for a mount goes. */
async function removePlace(path: string): Promise<void> {
  const stats = await lstat(path).catch(ignoreMissing);
  if (!stats) return;
  if (stats.isDirectory()) await rmdir(path);
  else if (stats.isSymbolicLink() || stats.size === 0) await unlink(path);
  else throw new Error(`${path} is a file that is not empty: no link is put in its place`);
}

function numberOf(options: readonly string[], name: string, radix = 10): number | undefined {
  const option = options.find((given) => given.startsWith(`${name}=`));
  return option === undefined ? undefined : parseInt(option.slice(name.length + 1), radix);
}

function ignoreForbidden(error: unknown): void {
  if (codeOf(error) !== "EPERM") throw error;
}
