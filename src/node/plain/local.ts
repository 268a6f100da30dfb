/**
 * local: a directory or a block device of this machine (NODE-59).
 *
 * @module
 */
import type { Stats } from "node:fs";
import { mkdir, readlink, realpath, stat, symlink, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { type MadeVolume, type NeededVolume, VolumeError, type VolumePlugin } from "../contract.ts";
import { codeOf, ignoreMissing } from "../mounts/held-directory.ts";
import { mountDevice } from "./block-device.ts";
import { directoryStats } from "./directory-stats.ts";
import {
  Groups,
  type PlainGround,
  demandMounts,
  makeDirectory,
  mountOptionsOf,
  removeMount,
  sourceOf,
} from "./ground.ts";

/** See the head of this file. */
export function localPlugin(ground: PlainGround): VolumePlugin {
  const { mounter } = ground;
  const groups = new Groups(ground);
  return {
    kind: "kubernetes.io~local-volume",
    makes: (needed) => needed.persistent !== undefined && sourceOf(needed, "local") !== undefined,

    async setUp(needed, signal): Promise<MadeVolume> {
      const { path, mode } = needed;
      const { path: place } = sourceOf(needed, "local")!;
      const stats = await stat(place).catch((error: unknown) => {
        throw new VolumeError(`local volume: ${place} is not on this machine: ${codeOf(error)}`);
      });
      if (mode === "Block") return link(place, stats, path);
      if (!(await mounter.isMountPoint(path))) await mount(ground, needed, stats, signal);
      await groups.give(needed, signal);
      return { source: path };
    },

    async tearDown({ path, mode }) {
      groups.forget(path);
      if (mode === "Block") await unlink(path).catch(ignoreMissing);
      else await removeMount(ground, path);
    },

    usage: (needed) => directoryStats(needed),
  };
}

async function mount(ground: PlainGround, needed: NeededVolume, stats: Stats, signal: AbortSignal): Promise<void> {
  const { path, readOnly } = needed;
  const { path: place, fsType } = sourceOf(needed, "local")!;
  if (!stats.isDirectory() && !stats.isBlockDevice()) {
    throw new VolumeError(`local volume: ${place} is neither a directory nor a block device`);
  }
  if (stats.isDirectory()) {
    await makeDirectory(path);
    await ground.mounter.bind(place, path, { readOnly });
    return;
  }
  demandMounts(ground, "local volumes of a device: such");
  await makeDirectory(path);
  const options = mountOptionsOf(needed);
  await mountDevice(ground, { kind: "local", device: place, path, fsType, readOnly: false, options }, signal);
  if (!readOnly) return;
  try {
    // The device may be another Pod's to write to: only this mount of it is for reading.
    await ground.mounter.mount({ type: "none", source: place, path, options: ["remount", "bind", "ro"] });
  } catch (error) {
    await ground.mounter.unmount(path);
    throw error;
  }
}

/** A device is given as it is: a link leads to it (NODE-45). */
async function link(place: string, stats: Stats, path: string): Promise<MadeVolume> {
  if (!stats.isBlockDevice())
    throw new VolumeError(`local volume: ${place} is no block device, as volumeMode Block asks`);
  const device = await realpath(place);
  if ((await readlink(path).catch(ignoreMissing)) === device) return { source: device };
  await mkdir(dirname(path), { recursive: true, mode: 0o750 });
  await unlink(path).catch(ignoreMissing);
  await symlink(device, path);
  return { source: device };
}
