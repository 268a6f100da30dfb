/**
 * Small disks for tests of full disks.
 *
 * @module
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";

/** A file system to make. */
export interface DiskKind {
  readonly type: "tmpfs" | "ext4";
  readonly mebibytes: number;
}

/**
 * Makes a file system in memory, or in a file beside `path`, and mounts it there. Returns a function that unmounts it, or undefined where
 * the machine does not permit a mount.
 */
export function mountDisk(path: string, kind: DiskKind): (() => void) | undefined {
  const image = `${path}.image`;
  mkdirSync(path, { recursive: true });
  try {
    MOUNTS[kind.type](path, image, kind.mebibytes);
  } catch {
    rmSync(image, { force: true });
    return undefined;
  }
  return () => {
    run("umount", path);
    rmSync(image, { force: true });
  };
}

const run = (program: string, ...args: string[]): void => void execFileSync(program, args, { stdio: "ignore" });

const MOUNTS: Readonly<Record<DiskKind["type"], (path: string, image: string, mebibytes: number) => void>> = {
  tmpfs: (path, _image, mebibytes) => run("mount", "-t", "tmpfs", "-o", `size=${mebibytes}m`, "tmpfs", path),
  ext4: (path, image, mebibytes) => {
    writeFileSync(image, "");
    truncateSync(image, mebibytes << 20);
    // No blocks that only root may use: a test may run as root, a server does not.
    run("mkfs.ext4", "-q", "-F", "-m", "0", image);
    run("mount", "-o", "loop", image, path);
  },
};
