import { codeOf } from "../util/error.ts";
import type { Actions, DirectoryInfo } from "./actions.ts";

/** Describes a data directory, by default the default one; undefined where it is that of another user, whose files may not be read. */
export async function readableInfo(
  actions: Pick<Actions, "info">,
  dataDir?: string,
): Promise<DirectoryInfo | undefined> {
  try {
    return await actions.info(dataDir);
  } catch (error) {
    if (["EACCES", "EPERM"].includes(codeOf(error) ?? "")) return undefined;
    throw error;
  }
}
