/**
 * The attached volumes on disk, as entries of `status.volumesInUse` (NODE-12).
 *
 * @module
 */
import { type AttachNames, attachNames, nodeEntry } from "../../claims/attachment.ts";
import type { PluginContext } from "../contract.ts";
import { RecordStore } from "./record-store.ts";
import { CsiPaths } from "./csi-paths.ts";

/** The entries of attached volumes that are staged, or may be, sorted. */
export async function stagedEntries(
  records: Pick<RecordStore, "stages">,
  names: AttachNames,
): Promise<readonly string[]> {
  const stages = await records.stages();
  return stages
    .filter(({ attachment }) => attachment !== undefined)
    .map((stage) => nodeEntry(stage, names))
    .toSorted();
}

/** The same for an agent that has no plugins yet. */
export const entriesOnDisk = ({
  root,
  dialect,
  log,
}: Pick<PluginContext, "root" | "dialect" | "log">): Promise<readonly string[]> =>
  stagedEntries(new RecordStore(new CsiPaths(root), log), attachNames(dialect));
