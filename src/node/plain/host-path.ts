/**
 * hostPath: a path of the machine itself (NODE-57, NODE-58).
 *
 * @module
 */
import type { Stats } from "node:fs";
import { chmod, mkdir, open, realpath, rmdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { VolumeError, type MadeVolume, type VolumePlugin } from "../contract.ts";
import { ignoreMissing } from "../mounts/held-directory.ts";
import { type PlainContext, requireFileSystem, ownSource, sourceOf } from "./plain-context.ts";
import { codeOf, messageOf } from "../../util/error.ts";

/** See the head of this file. */
export function hostPathPlugin(_ground: PlainContext): VolumePlugin {
  return {
    kind: "kubernetes.io~host-path",
    makes: (needed) => sourceOf(needed, "hostPath") !== undefined,

    async setUp(needed): Promise<MadeVolume> {
      requireFileSystem(needed, "hostPath");
      const { path, type } = ownSource(needed, "hostPath");
      if (!path.startsWith("/") || path.split("/").includes("..")) {
        throw new VolumeError(`hostPath ${path} must be absolute and without an element ".."`);
      }
      await check(path, type ?? "");
      // Containers get the current target of a link (PVS-4).
      return { source: (await realpath(path).catch(ignoreMissing)) ?? path };
    },

    /** Removes an empty directory of the agent, and nothing else. */
    async tearDown({ path }) {
      await rmdir(path).catch((error: unknown) => {
        if (codeOf(error) !== "ENOTEMPTY") ignoreMissing(error);
      });
    },
  };
}

/** The check of each type, with links followed, and its name. */
const CHECKS: Readonly<Record<string, readonly [is: (stats: Stats) => boolean, what: string]>> = {
  Directory: [(stats) => stats.isDirectory(), "a directory"],
  DirectoryOrCreate: [(stats) => stats.isDirectory(), "a directory"],
  File: [(stats) => stats.isFile(), "a file"],
  FileOrCreate: [(stats) => stats.isFile(), "a file"],
  Socket: [(stats) => stats.isSocket(), "a socket"],
  CharDevice: [(stats) => stats.isCharacterDevice(), "a character device"],
  BlockDevice: [(stats) => stats.isBlockDevice(), "a block device"],
};

async function check(path: string, type: string): Promise<void> {
  if (type === "") return;
  const [is, what] = CHECKS[type] ?? [];
  if (!is) throw failed(`${type} is an invalid volume type`);
  try {
    if (type === "DirectoryOrCreate") await makeDirectories(path);
    if (type === "FileOrCreate") await makeFile(path);
  } catch (error) {
    throw failed(`${path} cannot be created: ${messageOf(error)}`);
  }
  const stats = await stat(path).catch((error: unknown) => {
    throw failed(["ENOENT", "ENOTDIR"].includes(codeOf(error) ?? "") ? `${path} does not exist` : messageOf(error));
  });
  if (!is(stats)) throw failed(`${path} is not ${what}`);
}

const failed = (why: string): VolumeError => new VolumeError(`hostPath type check failed: ${why}`);

/** Creates missing directories, each 0755 with any umask (PVS-6); existing ones stay as they are. */
async function makeDirectories(path: string): Promise<void> {
  if (await stat(path).catch(ignoreMissing)) return;
  const parent = dirname(path);
  if (parent !== path) await makeDirectories(parent);
  try {
    await mkdir(path, { mode: 0o755 });
  } catch (error) {
    if (codeOf(error) === "EEXIST") return;
    throw error;
  }
  await chmod(path, 0o755);
}

/** Creates an empty file, 0644 with any umask (PVS-7), in an existing directory. */
async function makeFile(path: string): Promise<void> {
  try {
    const file = await open(path, "wx", 0o644);
    try {
      await file.chmod(0o644);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}
