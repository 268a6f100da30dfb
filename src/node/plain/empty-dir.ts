/**
 * emptyDir: an empty directory that is removed with its Pod, on disk, in memory or in huge pages (NODE-54..56).
 *
 * An unfinished directory has only the sticky bit: no container sets such a mode. A finished one is left to its containers.
 *
 * @module
 */
import { chmod, chown, lstat, mkdir, rmdir } from "node:fs/promises";
import { dirname } from "node:path";
import { quantitySign, wholeNumber } from "../../meta/quantity.ts";
import type { FoundVolume, MadeVolume, NeededVolume, VolumePlugin, VolumeUsage } from "../contract.ts";
import { ignoreMissing } from "../mounts/held-directory.ts";
import { mountTmpfs, removeTree } from "../mounts/index.ts";
import { directoryStats } from "./directory-stats.ts";
import { diskUsage } from "./disk-usage.ts";
import { type PlainContext, mayApplyGroup, requireFileSystem, requireMounts } from "./plain-context.ts";
import { hugePagesOption } from "./huge-pages.ts";
import { memorySize } from "./memory-size.ts";
import { codeOf } from "../../util/error.ts";

const UNFINISHED = 0o1000;
const SET_GROUP = 0o2000;

/** See the head of this file. */
export function emptyDirPlugin(context: PlainContext): VolumePlugin {
  const { mounter } = context;
  return {
    kind: "kubernetes.io~empty-dir",
    makes: ({ volume, persistent }) => !persistent && volume.emptyDir !== undefined,

    async setUp(needed): Promise<MadeVolume> {
      requireFileSystem(needed, "emptyDir");
      const { path } = needed;
      const medium = needed.volume.emptyDir?.medium ?? "";
      const isMade = medium !== "" && mounter.canMount ? await mounter.isMountPoint(path) : await isFinished(path);
      if (!isMade) await make(context, needed, medium);
      return { source: path };
    },

    async tearDown({ path }: FoundVolume, signal) {
      if (await mounter.isMountPoint(path)) {
        await mounter.unmount(path);
        await rmdir(path);
        return;
      }
      await removeTree(path, mounter, signal);
    },

    async usage({ path, volume }, signal): Promise<VolumeUsage | undefined> {
      if (!volume.emptyDir?.medium || !(await mounter.isMountPoint(path))) return diskUsage(path, signal);
      return directoryStats({ path, mode: "Filesystem" });
    },

    maxBytes({ volume }) {
      const { medium = "", sizeLimit } = volume.emptyDir ?? {};
      if (medium !== "" || sizeLimit === undefined || quantitySign(sizeLimit) !== 1) return undefined;
      return Number(wholeNumber(sizeLimit));
    },
  };
}

async function isFinished(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(ignoreMissing);
  return stats?.isDirectory() === true && (stats.mode & 0o7777) !== UNFINISHED;
}

async function make(context: PlainContext, { path, pod, volume }: NeededVolume, medium: string): Promise<void> {
  const { mounter } = context;
  const fsGroup = pod.spec.securityContext?.fsGroup;
  const gid = fsGroup !== undefined && mayApplyGroup(context, fsGroup) ? fsGroup : undefined;
  const setGroup = gid === undefined ? 0 : SET_GROUP;
  await makeUnfinished(path);
  if (medium === "Memory") {
    const size = memorySize(pod, volume, context.allocatable());
    await mountTmpfs(mounter, path, { mode: 0o1777 | setGroup, gid, size });
  } else if (medium.startsWith("HugePages")) {
    requireMounts(context, "emptyDir of huge pages: such");
    const pages = await hugePagesOption(context, pod, medium);
    const options = [pages, `mode=${(0o777 | setGroup).toString(8)}`, ...(gid === undefined ? [] : [`gid=${gid}`])];
    await mounter.mount({ type: "hugetlbfs", source: "nodev", path, options });
  } else {
    if (gid !== undefined) await chown(path, -1, gid);
    await chmod(path, 0o777 | setGroup);
  }
}

async function makeUnfinished(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o750 });
  await mkdir(path, { mode: UNFINISHED }).catch((error: unknown) => {
    if (codeOf(error) !== "EEXIST") throw error;
  });
}
