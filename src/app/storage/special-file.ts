import { statSync } from "node:fs";

/** Whether there is a pipe, a socket or a device at a path: it is written to, and a file that is renamed to the path would remove it. */
export function isSpecialFile(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && !found.isFile() && !found.isDirectory();
}
