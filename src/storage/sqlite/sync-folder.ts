import { closeSync, fsyncSync, openSync } from "node:fs";

/** The functions that flush a folder; those of Node.js by default. */
export interface FolderFiles {
  openSync(path: string, flags: "r"): number;
  fsyncSync(descriptor: number): void;
  closeSync(descriptor: number): void;
}

/**
 * Flushes a folder, so that the name of a new file is on disk. Windows cannot open a folder: there the file system's own journal
 * has to keep the name.
 *
 * @param platform that of the process by default
 */
export function syncFolder(
  path: string,
  platform: NodeJS.Platform = process.platform,
  files: FolderFiles = { openSync, fsyncSync, closeSync },
): void {
  if (platform === "win32") return;
  const descriptor = files.openSync(path, "r");
  try {
    files.fsyncSync(descriptor);
  } finally {
    files.closeSync(descriptor);
  }
}
