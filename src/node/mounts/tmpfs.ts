/**
 * Mounts tmpfs for volumes.
 *
 * @module
 */
import type { Mounter } from "../contract.ts";

/** Options of a tmpfs. */
export interface TmpfsOptions {
  /** Permission bits of its root, such as `0o1777`. */
  readonly mode: number;
  readonly gid?: number | undefined;
  readonly uid?: number | undefined;
  /** Its maximum size in bytes; half of the memory of the machine by default. */
  readonly size?: bigint | undefined;
}

/** Mounters whose machine is known not to have `noswap` (Linux before 6.4). */
const withoutNoswap = new WeakSet<Mounter>();

/** Mounts a tmpfs at a directory. Its content is never swapped where the kernel supports that. */
export async function mountTmpfs(mounter: Mounter, path: string, desired: TmpfsOptions): Promise<void> {
  const { mode, gid, uid, size } = desired;
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
    // If this fails too, its error is thrown.
    await mount();
    withoutNoswap.add(mounter);
  }
}
