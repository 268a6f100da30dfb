import { dirname } from "node:path";
import { type WriterFiles, codeOf, systemFiles } from "./writer-files.ts";

/** Anybody may make files in a volume; with a group they get that group. */
const ROOT = 0o777;
const SET_GROUP = 0o2000;
/** What a tmpfs has by itself. */
const STICKY = 0o1000;
/** Of the directories above it, which are the agent's. */
const PARENTS = 0o750;

/** How the directory of a volume is made. */
export interface VolumeDirectoryOptions {
  readonly group?: number | undefined;
  readonly owners?: boolean;
  readonly files?: WriterFiles;
}

/** Makes the directory of a volume, or puts its mode and its group right: 0777, 2777 with a group, sticky where it was (PROJ-39). */
export function makeVolumeDirectory(
  path: string,
  { group, owners = true, files = systemFiles }: VolumeDirectoryOptions,
): void {
  const found = files.modeOf(path);
  const mode = ROOT | (group === undefined ? 0 : SET_GROUP) | ((found ?? 0) & STICKY);
  const owner = owners && group !== undefined ? { uid: -1, gid: group } : undefined;
  if (found !== undefined) {
    files.setDirectory(path, mode, owner);
    return;
  }
  try {
    files.makeDirectory(path, mode, owner);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    files.makeParents(dirname(path), PARENTS);
    files.makeDirectory(path, mode, owner);
  }
}
