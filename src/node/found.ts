/**
 * The Pods and volumes in the agent's directory (NODE-5).
 *
 * @module
 */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { FoundVolume } from "./contract.ts";
import { VOLUMES, podDirectory, podsDirectory } from "./paths.ts";
import { codeOf } from "../util/error.ts";

/** The UIDs of the Pods that have a directory. */
export const foundPods = (root: string): Promise<readonly string[]> => namesIn(podsDirectory(root));

/** The volumes of a Pod on disk, in the order of their paths. */
export async function foundVolumes(root: string, podUid: string): Promise<readonly FoundVolume[]> {
  const found: FoundVolume[] = [];
  for (const mode of ["Filesystem", "Block"] as const) {
    const folder = join(podDirectory(root, podUid), VOLUMES[mode]);
    for (const kind of await namesIn(folder)) {
      for (const name of await namesIn(join(folder, kind))) {
        found.push({ podUid, kind, name, mode, path: join(folder, kind, name) });
      }
    }
  }
  return found;
}

/** The names in a directory; none where it does not exist. */
async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return (await readdir(directory)).toSorted();
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw error;
  }
}
