/**
 * File systems in memory, as volumes are made of them.
 *
 * @module
 */
import type { Mounter } from "../contract.ts";

/** How a file system in memory begins. */
export interface TmpfsOptions {
  /** Permission bits of its root, such as `0o1777`. */
  readonly mode: number;
  readonly gid?: number | undefined;
  readonly uid?: number | undefined;
  /** The most bytes it may hold; half of the memory of the machine where nothing is said. */
  readonly size?: bigint | undefined;
}

/** Mounters whose machine is known not to have `noswap` (Linux before 6.4). */
const withoutNoswap = new WeakSet<Mounter>();

/** Mounts a file system in memory at a directory; what it holds is never written to swap, where the kernel can promise that. */
export async function mountTmpfs(mounter: Mounter, path: string, wanted: TmpfsOptions): Promise<void> {
  const { mode, gid, uid, size } = wanted;
  const options = [
    `mode=${mode.toString(8).padStart(4, "0")}`,
    ...(gid === undefined ? [] : [`gid=${gid}`]),
    ...(uid === undefined ? [] : [`uid=${uid}`]),
    ...(size === undefined ? [] : [`size=${size}`]),
  ];
  const mount = (...more: string[]): Promise<void> =>
    mounter.mount({ type: "tmpfs", source: "tmpfs", path, options: [...options, ...more] });
  if (withoutNoswap.has(mounter)) return mount();
  try {
    return await mount("noswap");
  } catch {
    // If it fails without it too, that is what is told.
    await mount();
    withoutNoswap.add(mounter);
  }
}
