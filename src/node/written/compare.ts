import type { Slice } from "../../util/loop.ts";
import type { Payload } from "../../volumes/contract.ts";
import type { WriterFiles } from "./writer-files.ts";

/** Whether a directory has exactly these files; modes and owners do not count (PROJ-52). */
export async function holds(files: WriterFiles, directory: string, payload: Payload, turns: Slice): Promise<boolean> {
  let left = payload.size;
  const folders = [""];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = files.list(folder === "" ? directory : `${directory}/${folder}`);
    // No write creates an empty directory.
    if (entries.length === 0 && folder !== "") return false;
    for (const { name, type } of entries) {
      const path = folder === "" ? name : `${folder}/${name}`;
      if (type === "directory") folders.push(path);
      else if (type !== "file") return false;
      else {
        const desired = payload.get(path);
        if (!desired || !files.holds(`${directory}/${path}`, desired.bytes)) return false;
        left--;
      }
      await turns.pause();
    }
  }
  return left === 0;
}
