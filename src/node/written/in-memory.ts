import type { Mounter } from "../contract.ts";
import { mountTmpfs, removeTree } from "../mounts/index.ts";
import { makeVolumeDirectory } from "./volume-directory.ts";
import type { WriterFiles } from "./writer-files.ts";

/** Anybody may make files in it, and remove his own. */
const MODE = 0o1777;

/** Puts a volume into memory only (PROJ-59), unless something is mounted there; what a machine cannot mount is a directory. */
export async function putInMemory(mounter: Mounter, path: string, files: WriterFiles): Promise<void> {
  if (!mounter.canMount || (await mounter.isMountPoint(path))) return;
  makeVolumeDirectory(path, { files });
  await mountTmpfs(mounter, path, { mode: MODE });
}

/** Removes a volume, on disk or in memory; done again harmlessly. What lies behind a mount that stays is never removed (NODE-9). */
export async function removeVolume(mounter: Mounter, path: string, signal?: AbortSignal): Promise<void> {
  if (await mounter.isMountPoint(path)) await mounter.unmount(path);
  await removeTree(path, mounter, signal);
}
