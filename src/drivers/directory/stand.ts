/**
 * A volume on a node: from where it is published, and at which path it appears. Done again it changes nothing, since what is
 * mounted is asked of the machine each time.
 *
 * @module
 */
import { chmod, chown, lstat, mkdir, rmdir, stat, symlink, unlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DriverError } from "../../csi/driver-error.ts";
import { bind, mountAt, unmount } from "./mounts.ts";
import { type VolumeRecord, fileNameOf } from "./records.ts";
import type { Access } from "./requests.ts";
import type { Shop } from "./shop.ts";

/** Mounts a volume at a directory, where it is not mounted yet; a device is made ready, a link needs nothing. */
export async function stageAt(shop: Shop, volume: VolumeRecord, path: string, access: Access): Promise<void> {
  const { backing, volumes, mounts } = shop;
  const place = volumes.place(volume.id);
  if (volume.block) {
    await backing.device(place);
    return;
  }
  if (!mounts) return;
  await mkdir(path, { recursive: true });
  if (!(await mountAt(path))) await backing.mount(place, path, access);
}

/** Undoes {@link stageAt}. */
export async function unstageAt(shop: Shop, volume: VolumeRecord | undefined, path: string): Promise<void> {
  if (shop.mounts) await unmount(path);
  if (volume?.block) await shop.backing.release(shop.volumes.place(volume.id));
}

/** Where a volume is mounted that nobody has staged. */
export const ownMount = ({ node }: Shop, { id }: VolumeRecord): string => join(node, "mounts", fileNameOf(id));

/** The directory or device that is published, given where the volume is staged; undefined: it is not. */
export async function sourceOf(
  shop: Shop,
  volume: VolumeRecord,
  staged: string | undefined,
  access: Access,
): Promise<string> {
  const { backing, volumes, mounts } = shop;
  const place = volumes.place(volume.id);
  if (volume.block) return backing.device(place);
  if (mounts && staged !== undefined) return staged;
  const files = backing.files(place);
  if (files !== undefined) return files;
  const own = ownMount(shop, volume);
  await stageAt(shop, volume, own, access);
  return own;
}

/** Gives back what {@link sourceOf} has made for a volume that nobody had staged. */
export async function letGo(shop: Shop, volume: VolumeRecord): Promise<void> {
  const own = ownMount(shop, volume);
  await unstageAt(shop, volume, own);
  await rmdir(own).catch(() => {});
}

/** Makes a source appear at a path, which need not be there. */
export async function appear(
  shop: Shop,
  source: string,
  path: string,
  { block, flags }: Pick<Access, "block" | "flags">,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  if (!shop.mounts) {
    await rmdir(path).catch(() => {});
    await symlink(source, path);
    return;
  }
  if (await mountAt(path)) return;
  if (block) await writeFile(path, "", { flag: "a" });
  else await mkdir(path, { recursive: true });
  await bind(source, path, flags);
}

/** Whether something stands at a path. */
export async function stands(shop: Shop, path: string): Promise<boolean> {
  if (shop.mounts) return (await mountAt(path)) !== undefined;
  return (await lstat(path).catch(() => undefined))?.isSymbolicLink() ?? false;
}

/** Removes what stands at a path, and the path. What is in a directory that is no mount is never removed. */
export async function disappear(shop: Shop, path: string): Promise<void> {
  if (shop.mounts) await unmount(path);
  const found = await lstat(path).catch(() => undefined);
  if (!found) return;
  if (!found.isDirectory()) return unlink(path);
  try {
    await rmdir(path);
  } catch (error) {
    throw new DriverError("Internal", `${path} cannot be removed: ${String(error)}`);
  }
}

/** Gives the root of a volume the group that was asked for: it may do all there, and has what is made there. */
export async function giveGroup(directory: string, group: number | undefined): Promise<void> {
  if (group === undefined) return;
  const { mode, uid } = await stat(directory);
  await chown(directory, uid, group);
  await chmod(directory, (mode & 0o7777) | 0o2070);
}
