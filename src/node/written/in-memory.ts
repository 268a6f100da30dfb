import type { Mounter } from "../contract.ts";
import { mountTmpfs, removeTree } from "../mounts/index.ts";
import { makeVolumeDirectory } from "./volume-directory.ts";
import type { WriterFiles } from "./writer-files.ts";

/** All users may create files in it, and remove their own. */
const MODE = 0o1777;

/** Mounts a tmpfs for a volume (PROJ-59), unless it is mounted; without the right to mount the volume is on disk. */
export async function putInMemory(mounter: Mounter, path: string, files: WriterFiles): Promise<void> {
  if (!mounter.canMount || (await mounter.isMountPoint(path))) return;
  makeVolumeDirectory(path, { files });
  await mountTmpfs(mounter, path, { mode: MODE });
}

/** Removes a volume, on disk or in memory; never files behind a mount that stays (NODE-9). */
export async function removeVolume(mounter: Mounter, path: string, signal?: AbortSignal): Promise<void> {
  if (await mounter.isMountPoint(path)) await mounter.unmount(path);
  await removeTree(path, mounter, signal);
}
