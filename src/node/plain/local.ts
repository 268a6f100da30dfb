/**
 * local: a directory or a block device of this machine (NODE-59).
 *
 * @module
 */
import type { Stats } from "node:fs";
import { mkdir, readlink, realpath, stat, symlink, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { type MadeVolume, type NeededVolume, VolumeError, type VolumePlugin } from "../contract.ts";
import { ignoreMissing } from "../mounts/held-directory.ts";
import { mountDevice } from "./block-device.ts";
import { directoryStats } from "./directory-stats.ts";
import {
  Groups,
  type PlainContext,
  makeDirectory,
  mountOptionsOf,
  removeMount,
  requireMounts,
  ownSource,
  sourceOf,
} from "./plain-context.ts";
import { codeOf } from "../../util/error.ts";

/** See the head of this file. */
export function localPlugin(context: PlainContext): VolumePlugin {
  const { mounter } = context;
  const groups = new Groups(context);
  return {
    kind: "kubernetes.io~local-volume",
    makes: (needed) => needed.persistent !== undefined && sourceOf(needed, "local") !== undefined,

    async setUp(needed, signal): Promise<MadeVolume> {
      const { path, mode } = needed;
      const { path: source } = ownSource(needed, "local");
      const stats = await stat(source).catch((error: unknown) => {
        throw new VolumeError(`local volume: ${source} is not on this machine: ${codeOf(error)}`);
      });
      if (mode === "Block") return link(source, stats, path);
      if (!(await mounter.isMountPoint(path))) await mount(context, needed, stats, signal);
      await groups.apply(needed, signal);
      return { source: path };
    },

    async tearDown({ path, mode }) {
      groups.forget(path);
      if (mode === "Block") await unlink(path).catch(ignoreMissing);
      else await removeMount(context, path);
    },

    usage: (needed) => directoryStats(needed),
  };
}

async function mount(context: PlainContext, needed: NeededVolume, stats: Stats, signal: AbortSignal): Promise<void> {
  const { path, readOnly } = needed;
  const { path: source, fsType } = ownSource(needed, "local");
  if (!stats.isDirectory() && !stats.isBlockDevice()) {
    throw new VolumeError(`local volume: ${source} is neither a directory nor a block device`);
  }
  if (stats.isDirectory()) {
    await makeDirectory(path);
    await context.mounter.bind(source, path, { readOnly });
    return;
  }
  requireMounts(context, "local volumes of a device: such");
  await makeDirectory(path);
  const options = mountOptionsOf(needed);
  await mountDevice(context, { kind: "local", device: source, path, fsType, readOnly: false, options }, signal);
  if (!readOnly) return;
  try {
    // Another Pod may write to the device: only this mount is read-only.
    await context.mounter.mount({ type: "none", source, path, options: ["remount", "bind", "ro"] });
  } catch (error) {
    await context.mounter.unmount(path);
    throw error;
  }
}

/** Links to a device (NODE-45). */
async function link(source: string, stats: Stats, path: string): Promise<MadeVolume> {
  if (!stats.isBlockDevice()) {
    throw new VolumeError(`local volume: ${source} is no block device, and volumeMode is Block`);
  }
  const device = await realpath(source);
  if ((await readlink(path).catch(ignoreMissing)) === device) return { source: device };
  await mkdir(dirname(path), { recursive: true, mode: 0o750 });
  await unlink(path).catch(ignoreMissing);
  await symlink(device, path);
  return { source: device };
}
