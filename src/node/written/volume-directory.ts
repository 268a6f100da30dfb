import { dirname } from "node:path";
import { type WriterFiles, systemFiles } from "./writer-files.ts";
import { codeOf } from "../../util/error.ts";

/** All users may create files in a volume; with a group the files get that group. */
const ROOT = 0o777;
const SET_GROUP = 0o2000;
/** The bit of a tmpfs. */
const STICKY = 0o1000;
/** The mode of the directories above it. */
const PARENTS = 0o750;

/** Options of a volume's directory. */
export interface VolumeDirectoryOptions {
  readonly group?: number | undefined;
  readonly owners?: boolean;
  readonly files?: WriterFiles;
}

/**
 * Creates the directory of a volume, or sets its mode and group: 0777, 2777 with a group, sticky where it was (PROJ-39).
 */
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
